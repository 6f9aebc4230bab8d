//! The table server through processes of its own: rows in, epochs sealed, questions answered and
//! verified, by every role; and what is refused.
use std::fs;

use crate::support::{STEP, Server, batch, fields, now, row, user};
use board::Identity;
use client::{Client, ClientError, User};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use table::{
    EpochHeader, PublicKey, Table, audit,
    log::{Attestation, Growth, SignedCheckpoint, merkle, tile},
    query::Assurance,
};
use wire::{Decode as _, Encode as _};

fn identity() -> Identity {
    Identity::generate(&mut UnwrapErr(SysRng))
}

/// A user's own client, and the user with its keys.
fn user_of(server: &Server, index: u32, epoch: u32) -> (Client, User) {
    let token = server.client("operator").token(&user(index), 600).unwrap();
    let client = server.client_with(&token.token);
    let user = client.keys(user(index).as_bytes(), epoch).unwrap();
    (client, user)
}

#[test]
fn rows_come_in_and_every_answer_is_verified() {
    let server = Server::start();
    let mut custodian = server.client("operator");
    let rows: Vec<_> = (0..40).map(fields).collect();
    let first = custodian.ingest(1, rows.clone(), "first", now()).unwrap();
    assert_eq!((first.rows, first.receipts.len()), (40, 40));
    // The answer was lost: the same batch gets the same bytes, and its name stands for no other.
    assert_eq!(custodian.ingest(1, rows.clone(), "first", now()).unwrap(), first);
    let other = custodian.ingest(1, rows[1..].to_vec(), "first", now());
    assert_eq!(other.unwrap_err().reason(), Some("idempotency-key"));
    let mut changed = rows[0].clone();
    changed.insert("hours".to_owned(), client::api::Field::Number(99));
    let refused = custodian.ingest(1, vec![changed], "changed", now()).unwrap_err();
    assert_eq!(refused.reason(), Some("duplicate-row"));

    assert_eq!(custodian.seal(1, STEP).unwrap().rows, Some(40));
    assert_eq!(custodian.seal(1, STEP).unwrap().state, "sealed", "asking again does no harm");
    assert_eq!(
        custodian.ingest(1, rows.clone(), "first", now()).unwrap(),
        first,
        "also when it is sealed"
    );
    let late = custodian.ingest(1, vec![fields(77)], "late", now()).unwrap_err();
    assert_eq!(late.reason(), Some("epoch-state"));

    let mut querier = server.client("querier");
    let sql = "SELECT COUNT(*), AVG(wage), MEDIAN(wage), MAX(wage) FROM pay WHERE epoch = 1";
    let answer = querier.query(sql).unwrap();
    assert_eq!(answer.rows[0]["COUNT(*)"], 40);
    let total: u32 = (0..40).map(crate::support::wage).sum();
    let mean = f64::from(total) / 4000.0;
    let shown: f64 = answer.rows[0]["AVG(wage)"].as_str().unwrap().parse().unwrap();
    assert!((shown - mean).abs() < 1e-3, "{shown} {mean}");
    assert!(answer.verified.iter().all(|one| one.assurance == Assurance::CommittedOnly));
    let grouped = querier.query("SELECT SUM(wage) FROM pay WHERE epoch = 1 GROUP BY role").unwrap();
    assert_eq!(grouped.rows.len(), 2);
    let bundle = server.directory.path().join("bundle");
    grouped.write(&bundle).unwrap();
    let trail = server.get("/v1/tables/pay/queries", Some("operator")).json();
    assert_eq!((&trail["questions"][0]["query"], &trail["next"]), (&sql.into(), &2.into()));
    assert_eq!(trail["questions"][1]["asker"], "querier");

    let schema = custodian.table().schema().clone();
    let (mut ada, keys) = user_of(&server, 7, 1);
    ada.lookup(&keys, &row(&schema, 7), 1).unwrap();
    assert_eq!(ada.receipts(&keys, &row(&schema, 7), 1, now()).unwrap().len(), 1);
    let wrong = ada.lookup(&keys, &row(&schema, 8), 1);
    assert!(wrong.is_err_and(|error| error.is_false()), "another row than its own");
    assert_eq!(ada.absence(&keys, 1).err().unwrap().reason(), Some("row"));

    // A second epoch without Ada, whose log continues the first.
    custodian.ingest(2, (10..30).map(fields).collect(), "second", now()).unwrap();
    assert_eq!(ada.lookup(&keys, &row(&schema, 7), 2).err().unwrap().reason(), Some("epoch"));
    custodian.seal(2, STEP).unwrap();
    ada.absence(&keys, 2).unwrap();
    assert_eq!(ada.seen().unwrap().checkpoint.size, 2);
    let note = querier.seen().unwrap().to_note();
    let mut later = server.client("querier");
    later.remember(&note).unwrap();
    assert_eq!(later.seen().unwrap().checkpoint.size, 2);
}

#[test]
fn auditors_and_witnesses_do_their_part_over_http() {
    let (auditor, witness) = (identity(), identity());
    let keys = [&auditor, &witness].map(PublicKey::of);
    let server = Server::with("", vec![keys[0]], vec![keys[1]]);
    let mut custodian = server.client("operator");
    custodian.ingest(1, (0..30).map(fields).collect(), "one", now()).unwrap();
    assert_eq!(custodian.seal(1, STEP).unwrap().state, "logged");
    let sql = json!({ "sql": "SELECT SUM(wage) FROM pay WHERE epoch = 1" });
    let early = server.post("/v1/tables/pay/query", "querier", &sql);
    assert_eq!((early.status, early.reason().as_str()), (404, "log"), "nobody cosigned yet");
    assert_eq!(server.get("/v1/tables/pay/epochs/1", None).json()["digest"], json!(null));

    // The auditor reads the epoch in parts, before it is cosigned.
    let header = server.get("/v1/tables/pay/epochs/1/header", Some("auditor"));
    let header = EpochHeader::from_bytes(&header.body).unwrap();
    let path = "/v1/tables/pay/epochs/1/audit";
    let whole = server.get(path, Some("auditor"));
    assert_eq!(whole.headers["etag"], format!("\"{}\"", header.audit));
    let token = Some(server.tokens["auditor"].as_str());
    let part = |range: &str| server.raw(("GET", path), token, &[("range", range)], &[]);
    let (head, tail) = (part("bytes=0-99"), part("bytes=100-"));
    assert_eq!((head.status, tail.status), (206, 206));
    assert_eq!([head.body, tail.body].concat(), whole.body);
    let beyond = part("bytes=99999999-");
    assert_eq!((beyond.status, beyond.reason().as_str()), (416, "range"));
    let table = custodian.table();
    audit::verify(table, &header, &whole.body, &()).unwrap();
    let word = Attestation::sign(&auditor, table, 1, header.digest(table.id()));
    let send = |role: &str, path: &str, bytes: &[u8]| {
        let kind = [("content-type", "application/octet-stream")];
        server.raw(("POST", path), Some(&server.tokens[role]), &kind, bytes)
    };
    let stored = send("auditor", "/v1/tables/pay/attestations", &word.to_bytes());
    assert_eq!((stored.status, &stored.json()["epoch"]), (200, &json!(1)));
    let strangers = Attestation::sign(&witness, table, 1, header.digest(table.id()));
    let refused = send("auditor", "/v1/tables/pay/attestations", &strangers.to_bytes());
    assert_eq!((refused.status, refused.reason().as_str()), (422, "attestation"));

    let growth = server.get("/v1/tables/pay/log/growth?since=0", Some("witness"));
    let growth = Growth::from_bytes(&growth.body).unwrap();
    let cosignature = growth.cosign(None, &witness, 1_700_000_000).unwrap();
    let wrong = growth.signed.checkpoint.cosign(&auditor, 1).to_bytes();
    let refused = send("witness", "/v1/tables/pay/cosignatures", &wrong);
    assert_eq!((refused.status, refused.reason().as_str()), (422, "cosignature"));
    let taken = send("witness", "/v1/tables/pay/cosignatures", &cosignature.to_bytes());
    assert_eq!(taken.json()["state"], "sealed");

    let answer = server.client("querier").query("SELECT SUM(wage) FROM pay WHERE epoch = 1");
    let answer = answer.unwrap();
    assert_eq!(answer.verified[0].assurance, Assurance::Audited);
    assert_eq!(answer.verified[0].witnessed, Some(1_700_000_000));
}

/// Checkpoint and tiles are those of C2SP: what they lead to is the root that was signed.
#[test]
fn the_log_is_read_in_tiles_and_its_key_changes() {
    let server = Server::start();
    let mut custodian = server.client("operator");
    for epoch in 1..=3 {
        custodian
            .ingest(
                epoch,
                (0..6).map(fields).collect(),
                &format!("batch {epoch}").replace(' ', "-"),
                now(),
            )
            .unwrap();
        if epoch == 2 {
            let rotated = server.post("/v1/tables/pay/rotate", "operator", &json!(null));
            assert_eq!((rotated.status, &rotated.json()["epoch"]), (200, &json!(2)));
            let twice = server.post("/v1/tables/pay/rotate", "operator", &json!(null));
            assert_eq!((twice.status, twice.reason().as_str()), (409, "rotation"));
        }
        custodian.seal(epoch, STEP).unwrap();
    }
    let mut querier = server.client("querier");
    querier.query("SELECT SUM(wage) FROM pay WHERE epoch BETWEEN 1 AND 3").unwrap();
    let note = server.get("/v1/tables/pay/log/checkpoint", None);
    let signed = querier.seen().unwrap();
    assert_eq!(String::from_utf8(note.body).unwrap(), signed.to_note());
    let get = |path: &str| server.get(&format!("/v1/tables/pay/log/tile/{path}"), None);
    let entries = get("entries/000.p/3").body;
    let digests: Vec<_> = entries.chunks(34).map(|entry| entry[2..].to_vec()).collect();
    assert_eq!(merkle::root(&digests), signed.checkpoint.root);
    let leaves = get("0/000.p/3").body;
    assert_eq!(leaves[..32], *merkle::root(&digests[..1]).as_bytes());
    assert_eq!(get("0/000").status, 404, "the tile is not full");
    assert_eq!(get("0/0").reason(), "tile");
    assert!(digests.len() < tile::TILE_WIDTH);
    let proof = server.get("/v1/tables/pay/log/consistency?from=1&to=3", None).json();
    assert_eq!(proof["proof"].as_array().unwrap().len(), 2);
    let wrong = server.get("/v1/tables/pay/log/consistency?from=3&to=4", None);
    assert_eq!((wrong.status, wrong.reason().as_str()), (422, "sizes"));
}

/// Every request needs its right, and a right is for its tables.
#[test]
fn rights_are_needed_and_enough() {
    let server = Server::start();
    let reads = [
        ("/metrics", "monitor"),
        ("/v1/tables/pay/queries", "custodian"),
        ("/v1/tables/pay/log/growth", "witness"),
        ("/v1/tables/pay/epochs/1/audit", "auditor"),
        ("/v1/tables/pay/epochs/1/header", "auditor"),
    ];
    let writes = [
        ("/v1/tables", "custodian"),
        ("/v1/tables/pay/rows", "feeder"),
        ("/v1/tables/pay/tokens", "registrar"),
        ("/v1/tables/pay/tokens/revoke", "registrar"),
        ("/v1/tables/pay/rotate", "custodian"),
        ("/v1/tables/pay/epochs/1/seal", "custodian"),
        ("/v1/tables/pay/query", "querier"),
        ("/v1/tables/pay/attestations", "auditor"),
        ("/v1/tables/pay/cosignatures", "witness"),
    ];
    let all = reads.map(|one| ("GET", one)).into_iter().chain(writes.map(|one| ("POST", one)));
    for (method, (path, right)) in all {
        let ask = |token: Option<&str>| server.raw((method, path), token, &[], b"{}").status;
        assert_eq!(ask(None), 401, "{path}");
        assert_eq!(ask(Some("subrosa-role-unknown")), 401, "{path}");
        // No role includes another.
        for role in crate::support::ROLES.into_iter().filter(|role| *role != right) {
            assert_eq!(ask(Some(&server.tokens[role])), 403, "{path} as {role}");
        }
        assert!(![401, 403].contains(&ask(Some(&server.tokens[right]))), "{path}");
    }
    for path in ["lookup", "absence", "keys", "receipts"] {
        let path = format!("/v1/tables/pay/{path}?epoch=1");
        assert_eq!(server.get(&path, None).reason(), "unauthorized");
        // Nobody reads a user's row in the user's place.
        assert_eq!(server.get(&path, Some("everything")).reason(), "forbidden");
    }
    let schema: serde_json::Value = toml::from_str::<toml::Value>(crate::support::SCHEMA)
        .map(|schema| serde_json::to_value(schema).unwrap())
        .unwrap();
    let mut second = schema.clone();
    second["table"] = json!("second");
    let made = server.post("/v1/tables", "operator", &json!({ "schema": second }));
    assert_eq!(made.status, 201, "{made:?}");
    let again = server.post("/v1/tables", "operator", &json!({ "schema": second }));
    assert_eq!((again.status, again.reason().as_str()), (409, "table"));
    assert_eq!(server.get("/v1/tables", None).json()["tables"].as_array().unwrap().len(), 2);
    let token = server.client("operator").token("ada", 60).unwrap();
    let other = server.raw(("GET", "/v1/tables/second/keys?epoch=1"), Some(&token.token), &[], &[]);
    assert_eq!((other.status, other.reason().as_str()), (403, "forbidden"));
}

/// Two servers with one operator's key and two histories: whoever saw one refuses the other, and has
/// what convicts the operator.
#[test]
fn a_client_that_saw_another_history_has_evidence() {
    let mut honest = Server::start();
    honest.client("operator").ingest(1, (0..9).map(fields).collect(), "a", now()).unwrap();
    assert!(honest.stop());
    let copy = tempfile::tempdir().unwrap();
    copy_folder(&honest.directory.path().join("tables"), &copy.path().join("tables"));
    let liar = Server::over(copy, honest.table, "");
    honest.kill_and_restart();
    liar.client("operator").ingest(1, vec![fields(9)], "b", now()).unwrap();
    for server in [&honest, &liar] {
        server.client("operator").seal(1, STEP).unwrap();
    }
    let sql = "SELECT COUNT(*) FROM pay WHERE epoch = 1";
    let mut client = honest.client("querier");
    client.query(sql).unwrap();
    let seen = client.seen().unwrap().clone();
    let mut deceived = liar.client("querier");
    assert_eq!(deceived.query(sql).unwrap().rows[0]["COUNT(*)"], 10);
    let gossip = deceived.remember(&seen.to_note()).unwrap_err();
    assert_eq!(gossip.reason(), Some("equivocation"));
    let notices = fs::read_to_string(liar.directory.path().join("server.notices")).unwrap();
    assert!(notices.contains("equivocation"), "{notices}");
    // The other way round, the client finds out by itself: two clients compare their logs.
    let shown = deceived.seen().unwrap().clone();
    let evidence = table::log::Evidence::TwoRoots { one: seen, other: shown };
    evidence.verify(client.table()).unwrap();
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn another_table_than_the_pinned_one_is_refused() {
    let server = Server::start();
    let options = server.options(&server.tokens["querier"]);
    let other = table::Hash::of("other", b"table");
    assert!(matches!(Client::connect(&options, &other), Err(ClientError::Refused { .. })));
}

#[test]
fn tls_is_served_and_checked() {
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (chain, key) = (directory.path().join("chain.pem"), directory.path().join("key.pem"));
    fs::write(&chain, certified.cert.pem()).unwrap();
    fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
    let options = format!("[tls]\ncertificate = {chain:?}\nkey = {key:?}");
    let server = Server::with(&options, vec![], vec![]);
    let port = server.address.rsplit(':').next().unwrap();
    let url = format!("https://localhost:{port}");
    let options = client::Options::new(&url, "pay").with_token(&server.tokens["operator"]);
    let trusting = options.clone().with_roots(fs::read(&chain).unwrap());
    let mut custodian = Client::connect(&trusting, &server.table).unwrap();
    custodian.ingest(1, vec![fields(1)], "tls", now()).unwrap();
    let distrusting = Client::connect(&options, &server.table);
    assert!(matches!(distrusting, Err(ClientError::Transport { .. })));
}

/// A note that is not one of the table's is refused whatever it says.
#[test]
fn gossip_is_read_with_care() {
    let server = Server::start();
    let mut custodian = server.client("operator");
    custodian.ingest(1, (0..5).map(fields).collect(), "a", now()).unwrap();
    let gossip = |note: &[u8]| {
        server.raw(("POST", "/v1/tables/pay/gossip"), None, &[("content-type", "text/plain")], note)
    };
    assert_eq!(gossip(b"x").reason(), "log", "nothing is sealed yet");
    custodian.seal(1, STEP).unwrap();
    let note = server.get("/v1/tables/pay/log/checkpoint", None).body;
    assert_eq!(gossip(&note).status, 200);
    let table = Table::new(custodian.table().genesis().clone()).unwrap();
    let signed = SignedCheckpoint::from_note(&table, std::str::from_utf8(&note).unwrap()).unwrap();
    let forged = signed.checkpoint.clone().sign(&identity()).to_note();
    let longer = table::log::Checkpoint { size: 2, ..signed.checkpoint }.sign(&identity());
    for (note, reason) in [
        (forged.as_bytes(), "note"),
        (longer.to_note().as_bytes(), "note"),
        (b"".as_slice(), "note"),
        (&[0xff, 0xfe], "note"),
        (&note[..note.len() - 1], "note"),
    ] {
        assert_eq!(gossip(note).reason(), reason);
    }
}

#[test]
fn a_seal_that_a_crash_cut_off_goes_on() {
    let mut server = Server::start();
    let mut custodian = server.client("operator");
    custodian.ingest(1, (0..40).map(fields).collect(), "a", now()).unwrap();
    let path = "/v1/tables/pay/epochs/1/seal";
    assert_eq!(server.post(path, "operator", &json!(null)).status, 202);
    server.kill_and_restart();
    let mut custodian = server.client("operator");
    // Whatever it had come to: asked again, or by itself, it ends.
    custodian.seal(1, STEP).unwrap();
    let sql = "SELECT COUNT(*) FROM pay WHERE epoch = 1";
    assert_eq!(server.client("querier").query(sql).unwrap().rows[0]["COUNT(*)"], 40);
    assert_eq!(server.post(path, "operator", &json!(null)).status, 200);
    let wrong = server.post("/v1/tables/pay/epochs/3/seal", "operator", &json!(null));
    assert_eq!((wrong.status, wrong.reason().as_str()), (409, "epoch-order"));
    let metrics = server.get("/metrics", Some("monitor"));
    let metrics = String::from_utf8(metrics.body).unwrap();
    assert!(metrics.contains("subrosa_requests_total"), "{metrics}");
    assert!(server.stop(), "it ends in order");
}

/// What goes wrong may name files, users and values.
#[test]
fn why_sealing_failed_is_for_custodians() {
    let server = Server::start();
    server.client("operator").ingest(1, vec![fields(1)], "a", now()).unwrap();
    let key = server.directory.path().join("tables/pay/secrets/operator.key");
    let hidden = key.with_extension("hidden");
    fs::rename(&key, &hidden).unwrap();
    let refused = server.client("operator").seal(1, STEP).unwrap_err().to_string();
    assert!(refused.contains("key: ") && refused.contains("operator.key"), "{refused}");
    for role in [None, Some("querier"), Some("auditor"), Some("feeder")] {
        let info = server.get("/v1/tables/pay/epochs/1", role).json();
        assert_eq!(info["failure"], "key", "{role:?}");
    }
    let token = server.client("operator").token(&user(1), 600).unwrap();
    let info = server.raw(("GET", "/v1/tables/pay/epochs/1"), Some(&token.token), &[], &[]);
    assert_eq!(info.json()["failure"], "key");
    fs::rename(&hidden, &key).unwrap();
    server.client("operator").seal(1, STEP).unwrap();
    assert_eq!(server.get("/v1/tables/pay/epochs/1", None).json()["failure"], json!(null));
}

/// Idempotency keys do not pile up: those of sealed epochs are forgotten after their time.
#[test]
fn idempotency_keys_are_forgotten() {
    let schema = crate::support::SCHEMA.replace("seal_deadline = 86400", "seal_deadline = 1");
    let server = Server::of(&schema, "[limits]\nbatch_days = 0", vec![], vec![]);
    let mut custodian = server.client("operator");
    let rows = || (0..5).map(fields).collect::<Vec<_>>();
    for epoch in 1..=2 {
        custodian.ingest(epoch, rows(), &format!("batch-{epoch}"), now()).unwrap();
        // The deadline of the epoch's receipts goes by.
        std::thread::sleep(std::time::Duration::from_secs(2));
        custodian.seal(epoch, STEP).unwrap();
    }
    let again = custodian.ingest(1, rows(), "batch-1", now()).unwrap_err();
    assert_eq!(again.reason(), Some("epoch-state"));
}

#[test]
fn batches_are_of_a_size() {
    let server = Server::with("[limits]\nrows_per_batch = 3\nbody_bytes = 2000", vec![], vec![]);
    let rows = |range| server.post("/v1/tables/pay/rows", "operator", &batch(1, range));
    assert_eq!(rows(0..3).status, 200);
    assert_eq!((rows(0..4).status, rows(0..4).reason().as_str()), (422, "batch-size"));
    assert_eq!(rows(0..0).reason(), "batch-size");
    assert_eq!((rows(0..100).status, rows(0..100).reason().as_str()), (413, "body-size"));
}

/// Who never sent a row gets keys, and sees that there is none; a row that was erased is said to be.
#[test]
fn users_without_a_row_get_keys_and_erased_rows_are_told() {
    let mut server = Server::start();
    let mut custodian = server.client("operator");
    custodian.ingest(1, (0..6).map(fields).collect(), "one", now()).unwrap();
    let token = custodian.token(&user(99), 600).unwrap().token.clone();
    let mut stranger = server.client_with(&token);
    let name = user(99).into_bytes();
    assert_eq!(stranger.keys(&name, 1).err().unwrap().reason(), Some("keys"));
    let early = stranger.issue_keys(&name, 2).err().unwrap();
    assert_eq!(early.reason(), Some("epoch"), "an epoch that is not open draws no secrets");
    let keys = stranger.issue_keys(&name, 1).unwrap();
    let again = [stranger.issue_keys(&name, 1), stranger.keys(&name, 1)];
    assert!(
        again
            .iter()
            .all(|one| { *one.as_ref().unwrap().keys().to_bytes() == *keys.keys().to_bytes() })
    );
    custodian.seal(1, STEP).unwrap();
    stranger.absence(&keys, 1).unwrap();
    let schema = custodian.table().schema().clone();
    let (mut ada, pinned) = user_of(&server, 3, 1);
    ada.lookup(&pinned, &row(&schema, 3), 1).unwrap();
    assert_eq!(ada.erased(&pinned, 1).err().unwrap().reason(), Some("row"));

    assert!(server.stop());
    let folder = services::folder::Folder::new(&server.directory.path().join("tables/pay"));
    let rng = &mut UnwrapErr(SysRng);
    assert_eq!(folder.open().unwrap().erase(1, user(3).as_bytes(), true, rng).unwrap(), [1]);
    server.kill_and_restart();
    let mut custodian = server.client("operator");
    let token = custodian.token(&user(3), 600).unwrap().token.clone();
    let mut ada = server.client_with(&token);
    let gone = ada.lookup(&pinned, &row(&schema, 3), 1).err().unwrap();
    assert_eq!(gone.reason(), Some("erased"));
    let unrecorded = ada.erased(&pinned, 1).err().unwrap();
    assert_eq!(unrecorded.reason(), Some("epoch-state"));
    custodian.seal(2, STEP).unwrap();
    let bundle = server.directory.path().join("erased");
    ada.erased(&pinned, 1).unwrap().write(&bundle).unwrap();
    assert!(bundle.join("bundle.json").is_file());
    // Another user's pseudonym is not the one in the proof.
    assert!(ada.erased(&keys, 1).is_err());
    assert_eq!(ada.issue_keys(user(3).as_bytes(), 1).err().unwrap().reason(), Some("erased"));
}
