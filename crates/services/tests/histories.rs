//! Two witnesses, an auditor who follows the log, and a custodian who shows two histories: named, with
//! a bundle that anybody verifies offline.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

use std::{
    cell::RefCell,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use board::Identity;
use claim::{Bundle, Registry};
use client::{ClientError, Options, Party, api::Problem};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use services::{
    config::{Config, Limits},
    http::{Counts, Listener},
    tables::Notice,
    watch::{Peer, Source, Step, WatchError, Watcher},
    witness::{Keeper, Refusal, router},
};
use table::{
    EpochHeader, Fault, Genesis, Hash, PublicKey, Row, Schema, Table,
    log::{Attestation, Cosignature, Growth},
    store::{Custodian, MasterKey, MemoryStore},
};
use tempfile::TempDir;
use wire::{Decode as _, Encode as _};

const TIME: u64 = 1_790_000_000;
const SCHEMA: &str = r#"
    table = "pay"
    key_period = 12
    seal_deadline = 86400
    order_proof = "bp"
    types = [{ name = "senior", kind = "bool" }]
    values = [{ name = "wage", min = 0, max = 255, ordered = true }]
    policy = { min_count = 0 }
"#;

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The same parties each time.
fn operator() -> Identity {
    Identity::generate(&mut rng(1))
}

fn witness(number: u64) -> Identity {
    Identity::generate(&mut rng(10 + number))
}

fn auditor() -> Identity {
    Identity::generate(&mut rng(2))
}

/// Two witnesses, both of whom must cosign.
fn genesis() -> Genesis {
    Genesis {
        schema: toml::from_str::<Schema>(SCHEMA).unwrap(),
        first_epoch: 1,
        operator: PublicKey::of(&operator()),
        witnesses: vec![PublicKey::of(&witness(0)), PublicKey::of(&witness(1))],
        quorum: 2,
        dishonest: 0,
        auditors: vec![PublicKey::of(&auditor())],
        nonce: Genesis::draw_nonce(&mut rng(3)),
        continues: None,
    }
}

fn id() -> Hash {
    genesis().table_id()
}

/// A custodian, as its server answers.
struct House {
    custodian: Custodian<MemoryStore>,
    /// Another bundle for an epoch than the one it made.
    lie: RefCell<Option<(u32, Vec<u8>)>>,
}

impl House {
    /// A table with an epoch for each of these wages.
    fn new(genesis: Genesis, wages: &[u64]) -> Self {
        let (store, master) = (MemoryStore::default(), MasterKey::from_bytes(&[3; 32]));
        let custodian = Custodian::create(store, master, genesis, &mut rng(4)).unwrap();
        let house = Self { custodian, lie: RefCell::default() };
        wages.iter().for_each(|wage| house.seal(*wage));
        house
    }

    fn seal(&self, wage: u64) {
        self.seal_by(wage, &operator());
    }

    fn seal_by(&self, wage: u64, operator: &Identity) {
        let epoch = self.custodian.next_epoch().unwrap();
        let key = self.custodian.table().schema().encode_key(&[1]).unwrap();
        let row = |user: u64| {
            let user_name = format!("person {user}").into();
            Row { user: user_name, key: key.clone(), values: vec![wage + user] }
        };
        let rows: Vec<Row> = (0..3).map(row).collect();
        self.custodian.ingest(epoch, &rows, &mut rng(epoch.into())).unwrap();
        self.custodian.seal_epoch(epoch, operator, &()).unwrap();
    }

    /// A table whose operator hands over in its second epoch, of three.
    fn rotated(wages: [u64; 3], next: &Identity) -> Self {
        let [first, second, third] = wages;
        let mut house = Self::new(genesis(), &[first]);
        house.custodian.rotate(&operator(), next).unwrap();
        house.seal(second);
        house.seal_by(third, next);
        house
    }

    fn size(&self) -> u64 {
        self.custodian.digests().unwrap().len() as u64
    }

    fn grown(&self, since: u64) -> Growth {
        self.custodian.growth(since).unwrap()
    }
}

fn refused(status: u16) -> ClientError {
    let [kind, title, reason, detail] = Default::default();
    ClientError::Problem(Box::new(Problem { kind, title, status, reason, detail }))
}

impl Source for House {
    fn growth(&self, since: u64) -> Result<Growth, ClientError> {
        match self.size() {
            0 => Err(refused(404)),
            _ => self.custodian.growth(since).map_err(|_| refused(422)),
        }
    }

    fn header(&self, epoch: u32) -> Result<EpochHeader, ClientError> {
        self.custodian.header(epoch).map_err(|_| refused(404))
    }

    fn bundle(&self, epoch: u32) -> Result<Vec<u8>, ClientError> {
        match &*self.lie.borrow() {
            Some((known, bundle)) if *known == epoch => Ok(bundle.clone()),
            _ => self.custodian.bundle(epoch).map_err(|_| refused(404)),
        }
    }

    fn attest(&self, word: &Attestation) -> Result<(), ClientError> {
        self.custodian.attest(word).map_err(|_| refused(422))
    }

    fn cosign(&self, word: &Cosignature) -> Result<(), ClientError> {
        self.custodian.cosign(self.size(), word.clone()).map(|_| ()).map_err(|_| refused(422))
    }
}

/// A witness behind a port of this machine, until it is dropped.
struct Served {
    keeper: Arc<Keeper>,
    notices: Arc<Mutex<Vec<String>>>,
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

impl Served {
    fn start(identity: Identity, folder: &Path) -> Self {
        let keeper = Arc::new(Keeper::new(identity, folder, [id()].into_iter()));
        let notices: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = Arc::clone(&notices);
        let notice: Notice = Box::new(move |line| told.lock().unwrap().push(line.to_owned()));
        let config = Config {
            page: None,
            path: None,
            reload_seconds: 0,
            access_log: None,
            listen: "127.0.0.1:0".parse().unwrap(),
            tables: folder.to_owned(),
            tls: None,
            limits: Limits::default(),
            clients: vec![],
            #[cfg(feature = "sql")]
            sources: vec![],
        };
        let routes = router(Arc::clone(&keeper), &config.limits, Arc::new(notice));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(Listener::bind(&config, Counts::default())).unwrap();
        let address = listener.address().unwrap();
        runtime.spawn(listener.serve(routes, std::future::pending()));
        Self { keeper, notices, address, _runtime: runtime }
    }

    fn remote(&self) -> Party {
        let server = format!("http://{}", self.address);
        Party::open(&Options::new(&server, &id().to_string())).unwrap()
    }
}

fn folders<const N: usize>() -> (TempDir, [PathBuf; N]) {
    let root = tempfile::tempdir().unwrap();
    let paths = std::array::from_fn(|number| root.path().join(number.to_string()));
    paths.iter().for_each(|path| std::fs::create_dir(path).unwrap());
    (root, paths)
}

fn keeper(folder: &Path) -> Keeper {
    Keeper::new(witness(0), folder, [id()].into_iter())
}

/// Verifies evidence as `subrosa verify` does; what the operator did.
fn convicted(bundle: &Path) -> String {
    let registry = table::claims::verifiers().fold(Registry::new(), Registry::with);
    let verdicts = claim::verify(&Bundle::open(bundle).unwrap(), &registry, &()).unwrap();
    let statement = &verdicts[0].statement;
    assert_eq!(statement["table"], id().to_string());
    // Two successors are told by the changes of the key alone.
    for log in statement["logs"].as_array().into_iter().flatten() {
        assert_eq!(log["operator"], PublicKey::of(&operator()).to_string());
    }
    statement["offence"].as_str().unwrap().to_owned()
}

#[test]
fn a_custodian_who_equivocates_between_two_clients_is_named() {
    let (_root, [one, two, watched]) = folders();
    let (first, second) = (Served::start(witness(0), &one), Served::start(witness(1), &two));
    // One client is shown one history, another the other: each with the word of one witness.
    let (honest, fork) = (House::new(genesis(), &[10]), House::new(genesis(), &[90]));
    assert!(first.remote().witness(&honest.grown(0)).is_ok());
    assert!(second.remote().witness(&fork.grown(0)).is_ok());
    // Neither gets the quorum.
    let conflict = second.remote().witness(&honest.grown(0));
    assert_eq!(conflict.unwrap_err().status(), Some(409));
    assert_eq!(convicted(&second.keeper.evidence_path(&id())), "two roots");
    assert!(second.notices.lock().unwrap()[0].contains("two roots"));
    // Whoever has the one note and asks the witness of the other.
    let note = fork.grown(0).signed.to_note();
    assert!(matches!(first.keeper.gossip(&id(), &note), Err(Refusal::Forked(_))));
    // An auditor who follows the log and asks both witnesses.
    let watcher = Watcher::new(id(), auditor(), &watched);
    let (first, second) = (first.remote(), second.remote());
    let found = watcher.step(&honest, &[&first, &second], TIME);
    let Err(WatchError::Forked { offence: "two roots", path }) = found else { panic!("{found:?}") };
    assert_eq!(convicted(&path), "two roots");
    // It vouches for nothing, now and later.
    assert!(watcher.step(&honest, &[], TIME).is_err());
    assert_eq!(honest.custodian.attestations(1).unwrap(), []);
}

/// A witness that is asked without a server.
struct Seen(Keeper);

impl Peer for Seen {
    fn name(&self) -> &str {
        "seen"
    }

    fn seen(&self) -> Result<Option<Growth>, ClientError> {
        self.0.seen(&id()).map_err(|_| refused(500))
    }
}

#[test]
fn logs_of_different_sizes_are_compared_too() {
    for (honest, fork, since) in
        [(&[10, 20, 30][..], &[10, 90][..], 0), (&[10, 20], &[10, 90, 30], 2)]
    {
        let (_root, [seen, watched]) = folders();
        let (honest, fork) = (House::new(genesis(), honest), House::new(genesis(), fork));
        // A witness that is ahead knows how the log grew since what the auditor is shown.
        let peer = Seen(keeper(&seen));
        assert!(peer.0.cosign(&fork.grown(since), TIME).is_ok());
        let found = Watcher::new(id(), auditor(), &watched).step(&honest, &[&peer], TIME);
        let Err(WatchError::Forked { offence: "fork", path }) = found else { panic!("{found:?}") };
        assert_eq!(convicted(&path), "fork");
    }
    // One that is merely ahead is no evidence, and is noticed.
    let (_root, [seen, watched]) = folders();
    let peer = Seen(keeper(&seen));
    assert!(peer.0.cosign(&House::new(genesis(), &[10, 20]).grown(1), TIME).is_ok());
    let behind = House::new(genesis(), &[10]);
    let step = Watcher::new(id(), auditor(), &watched).step(&behind, &[&peer], TIME).unwrap();
    assert!(step.notices[0].contains("a log of 2 epochs"), "{step:?}");
}

fn nothing_vouched(house: &House) -> bool {
    (1..=house.size()).all(|epoch| house.custodian.attestations(epoch as u32).unwrap().is_empty())
}

/// Two histories whose operator hands over to another key in each: neither key is known to the other.
#[test]
fn branches_that_change_the_key_differently_are_two_histories() {
    let next = [1, 2].map(|seed| Identity::generate(&mut rng(20 + seed)));
    let wages = [10, 20, 30];
    let honest = House::rotated(wages, &next[0]);
    // Two other successors, none at all, and a log that is shorter than the other.
    let [elsewhere, later] = [wages, [10, 20, 31]].map(|wages| House::rotated(wages, &next[1]));
    let never = House::new(genesis(), &wages);
    later.seal_by(40, &next[1]);
    for (fork, since, expected) in [
        (&elsewhere, 2, "two successors"),
        (&later, 3, "two successors"),
        (&later, 1, "two successors"),
        (&never, 0, "retired key"),
    ] {
        for (shown, other) in [(&honest, fork), (fork, &honest)] {
            let (_root, [seen, watched]) = folders();
            let peer = Seen(keeper(&seen));
            let since = since.min(other.size());
            assert!(peer.0.cosign(&other.grown(since), TIME).is_ok());
            let step = || Watcher::new(id(), auditor(), &watched).step(shown, &[&peer], TIME);
            let found = step();
            let Err(WatchError::Forked { offence, path }) = found else { panic!("{found:?}") };
            assert_eq!((offence, convicted(&path).as_str()), (expected, expected));
            assert!(step().is_err_and(|error| error.is_false()), "it is remembered");
            assert!(nothing_vouched(shown));
            // The witness, when it is shown the other one.
            let refused = peer.0.cosign(&shown.grown(since.min(shown.size())), TIME);
            assert!(matches!(refused, Err(Refusal::Forked(_))), "{refused:?}");
            assert_eq!(convicted(&peer.0.evidence_path(&id())), expected);
        }
    }
}

/// The very log that was seen, continued under the key that was handed over in it.
#[test]
fn a_retired_key_is_refused_by_witnesses_and_auditors() {
    let (_root, [seen, watched]) = folders();
    let witness = keeper(&seen);
    let house = House::rotated([10, 20, 30], &Identity::generate(&mut rng(21)));
    assert!(witness.cosign(&house.grown(0), TIME).is_ok());
    let step =
        |growth: &dyn Source| Watcher::new(id(), auditor(), &watched).step(growth, &[], TIME);
    assert_eq!(step(&house).unwrap().audited, [1, 2, 3]);
    let retired = house.grown(3).signed.checkpoint.sign(&operator());
    let gossip = witness.gossip(&id(), &retired.to_note());
    assert!(matches!(gossip, Err(Refusal::Forked(_))), "{gossip:?}");
    // Without the change of the key it looks like a log of the first key.
    let genesis = house.custodian.table().genesis().clone();
    let growth = Growth {
        table: Table::new(genesis).unwrap(),
        rotations: vec![],
        signed: retired,
        ..house.grown(3)
    };
    assert_eq!(growth.verify(None), Ok(()));
    let refused = witness.cosign(&growth, TIME);
    assert!(matches!(refused, Err(Refusal::Forked(_))), "{refused:?}");
    assert_eq!(convicted(&witness.evidence_path(&id())), "retired key");
    let found = step(&Shown { house: &house, growth });
    assert!(matches!(found, Err(WatchError::Forked { offence: "retired key", .. })), "{found:?}");
}

/// A server that shows another log than its own.
struct Shown<'a> {
    house: &'a House,
    growth: Growth,
}

impl Source for Shown<'_> {
    fn growth(&self, _: u64) -> Result<Growth, ClientError> {
        Ok(self.growth.clone())
    }

    fn header(&self, epoch: u32) -> Result<EpochHeader, ClientError> {
        self.house.header(epoch)
    }

    fn bundle(&self, epoch: u32) -> Result<Vec<u8>, ClientError> {
        self.house.bundle(epoch)
    }

    fn attest(&self, word: &Attestation) -> Result<(), ClientError> {
        self.house.attest(word)
    }

    fn cosign(&self, word: &Cosignature) -> Result<(), ClientError> {
        Source::cosign(self.house, word)
    }
}

/// A longer log whose proof starts before the end of the one that is shown here.
#[test]
fn nothing_is_vouched_for_while_a_longer_log_is_not_connected() {
    let own = House::new(genesis(), &[10, 20, 30]);
    let look = |other: &[u64], since: u64, own: &House| {
        let (root, [seen, watched]) = folders();
        let peer = Seen(keeper(&seen));
        assert!(peer.0.cosign(&House::new(genesis(), other).grown(since), TIME).is_ok());
        let watcher = Watcher::new(id(), auditor(), &watched);
        (root, watcher.step(own, &[&peer], TIME))
    };
    // It may continue the one shown here, or part from it in its third epoch.
    for (third, since) in [(30, 2), (31, 2), (30, 0), (31, 4)] {
        let (_root, step) = look(&[10, 20, third, 40], since, &own);
        let step = step.unwrap();
        assert!(step.notices[0].contains("nothing connects"), "{step:?}");
        assert!(nothing_vouched(&own), "{third} {since}");
    }
    // It parts in an epoch whose root is shown: no signature of the operator is over that one.
    let (_root, found) = look(&[11, 20, 30, 40], 2, &own);
    let Err(WatchError::Differs { path, .. }) = found else { panic!("{found:?}") };
    let kept = |name: &str| Growth::from_bytes(&std::fs::read(path.join(name)).unwrap()).unwrap();
    let sizes = ["own.log", "witness.log"].map(|name| kept(name).signed.checkpoint.size);
    assert_eq!(sizes, [3, 4]);
    let again = Watcher::new(id(), auditor(), path.parent().unwrap()).step(&own, &[], TIME);
    assert!(matches!(again, Err(WatchError::Differs { .. })), "{again:?}");
    assert!(nothing_vouched(&own));
    // It is known to continue.
    let (_root, step) = look(&[10, 20, 30, 40], 3, &own);
    assert!(step.unwrap().notices[0].contains("a log of 4 epochs"));
    assert!(!nothing_vouched(&own));
}

#[test]
fn a_witness_never_forgets_what_it_cosigned() {
    let (_root, [folder]) = folders();
    // Killed and started anew before every look.
    let keeper = || keeper(&folder);
    let honest = House::new(genesis(), &[10, 20]);
    let fork = House::new(genesis(), &[10, 90, 30]);
    let table = honest.custodian.table();
    assert!(matches!(keeper().gossip(&id(), ""), Err(Refusal::Nothing)));
    let cosigned = |growth: &Growth| {
        let mut signed = growth.signed.clone();
        signed.cosignatures.push(keeper().cosign(growth, TIME).unwrap());
        // One of two: all that is wrong is the number.
        let number = Fault::Number { what: "cosignatures", got: 1, expected: 2 };
        assert_eq!(signed.verify(table), Err(number));
    };
    cosigned(&honest.grown(0));
    // The same log at a later time: how it came about is not forgotten either.
    cosigned(&honest.grown(2));
    assert_eq!(keeper().seen(&id()).unwrap().unwrap(), honest.grown(0));
    cosigned(&honest.grown(0));
    let since = keeper().cosign(&fork.grown(1), TIME);
    assert!(matches!(since, Err(Refusal::Since { seen: 2 })));
    let forked = keeper().cosign(&fork.grown(2), TIME);
    assert!(matches!(forked, Err(Refusal::Forked(evidence)) if evidence.offence() == "fork"));
    assert_eq!(convicted(&keeper().evidence_path(&id())), "fork");
    assert_eq!(keeper().seen(&id()).unwrap().unwrap(), honest.grown(0));
    honest.seal(30);
    cosigned(&honest.grown(2));
    let note = honest.grown(0).signed.to_note();
    assert_eq!(keeper().gossip(&id(), &note).unwrap().signed.checkpoint.size, 3);
    // A note that the operator did not sign.
    let forged = honest.grown(0).signed.checkpoint.sign(&auditor()).to_note();
    assert!(matches!(keeper().gossip(&id(), &forged), Err(Refusal::Fault(_))));
    // A witness that the genesis does not name, and a table that the witness does not know.
    let stranger = Keeper::new(auditor(), &folder, [id()].into_iter());
    assert!(matches!(stranger.cosign(&honest.grown(3), TIME), Err(Refusal::NotNamed)));
    let elsewhere = Keeper::new(witness(0), &folder, [Hash::from([1; 32])].into_iter());
    assert!(matches!(elsewhere.cosign(&honest.grown(3), TIME), Err(Refusal::Unknown(_))));
    // What it remembers is damaged: it does not start from nothing.
    std::fs::write(folder.join(format!("{}.log", id())), b"damaged").unwrap();
    assert!(matches!(keeper().cosign(&honest.grown(0), TIME), Err(Refusal::State { .. })));
}

#[test]
fn the_server_of_a_witness_answers_whatever_it_is_sent() {
    let (_root, [folder]) = folders();
    let served = Served::start(witness(0), &folder);
    let honest = House::new(genesis(), &[10]);
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
    let ask = |method: &str, path: &str, body: &[u8]| {
        let url = format!("http://{}{path}", served.address);
        let answer = match method {
            "GET" => agent.get(&url).call(),
            _ => agent.post(&url).header("content-type", "application/octet-stream").send(body),
        };
        let mut answer = answer.unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap_or_default())
    };
    let table = format!("/v1/tables/{}", id());
    let log = format!("{table}/log");
    let gossip = format!("{table}/gossip");
    assert_eq!(ask("GET", "/health", b"").0, 200);
    assert_eq!(ask("GET", &log, b"").0, 404, "nothing seen yet");
    assert_eq!(ask("GET", &format!("{table}/evidence"), b"").0, 404);
    let bytes = honest.grown(0).to_bytes();
    for at in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!((400..500).contains(&ask("POST", &log, &changed).0), "byte {at}");
        assert_eq!(ask("POST", &log, &bytes[..at]).0, 400);
    }
    assert!(served.keeper.seen(&id()).unwrap().is_none(), "nothing was cosigned");
    let strange = format!("/v1/tables/{}/log", Hash::from([1; 32]));
    for (method, path, body, expected) in [
        ("GET", "/v1/tables/pay/log", &b""[..], 404),
        ("GET", &strange, b"", 404),
        ("POST", &strange, &bytes, 422),
        ("POST", &gossip, b"\xff", 400),
        ("POST", &gossip, b"note", 404),
        ("GET", &gossip, b"", 405),
        ("GET", "/v1/nothing", b"", 404),
    ] {
        assert_eq!(ask(method, path, body).0, expected, "{method} {path}");
    }
    let remote = served.remote();
    assert_eq!(remote.witness(&honest.grown(0)).unwrap().witness, served.keeper.key());
    assert_eq!(remote.witnessed().unwrap(), honest.grown(0));
    assert_eq!(ask("POST", &gossip, b"note").0, 422);
    let (_, about) = ask("GET", "/v1/witness", b"");
    assert!(about.contains(&served.keeper.key().to_string()), "{about}");
}

#[test]
fn an_auditor_follows_a_table() {
    let (_root, [folder, other]) = folders();
    // Killed and started anew before every step.
    let step = |house: &House| Watcher::new(id(), auditor(), &folder).step(house, &[], TIME);
    let house = House::new(genesis(), &[]);
    assert_eq!(step(&house).unwrap(), Step::default(), "no epoch yet");
    for epoch in 1..3 {
        house.seal(10);
        let epochs = u64::from(epoch);
        let first = Step { epochs, audited: vec![epoch], notices: vec![] };
        assert_eq!(step(&house).unwrap(), first);
        assert_eq!(step(&house).unwrap(), Step { audited: vec![], ..first });
        let words = house.custodian.attestations(epoch).unwrap();
        assert_eq!(words[0].auditor, PublicKey::of(&auditor()));
    }
    // An audit that does not hold: nothing is vouched for, what was shown is kept.
    house.seal(30);
    let mut bundle = house.custodian.bundle(3).unwrap();
    let middle = bundle.len() / 2;
    bundle[middle] ^= 1;
    *house.lie.borrow_mut() = Some((3, bundle.clone()));
    let found = step(&house);
    let Err(WatchError::Audit { epoch: 3, path, .. }) = found else { panic!("{found:?}") };
    assert_eq!(std::fs::read(path.join("audit")).unwrap(), bundle);
    assert_eq!(house.custodian.attestations(3).unwrap(), []);
    *house.lie.borrow_mut() = None;
    assert_eq!(step(&house).unwrap().audited, [3]);
    // A server that was set back, and one of another table.
    let short = step(&House::new(genesis(), &[10]));
    assert!(matches!(short, Err(WatchError::Server(_))), "{short:?}");
    let another = Genesis { nonce: [1; 32].into(), ..genesis() };
    let elsewhere = step(&House::new(another, &[10, 10, 30]));
    assert!(matches!(elsewhere, Err(WatchError::Log(_))), "{elsewhere:?}");
    let stranger = Watcher::new(id(), witness(0), &other).step(&house, &[], TIME);
    assert!(matches!(stranger, Err(WatchError::NotNamed)), "{stranger:?}");
    // Another history.
    let found = step(&House::new(genesis(), &[10, 10, 31, 40]));
    let Err(WatchError::Forked { path, .. }) = found else { panic!("{found:?}") };
    assert_eq!(convicted(&path), "fork");
}
