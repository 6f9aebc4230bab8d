//! A configuration, certificates and tokens change while the server runs; and what is noted of who asked.
use std::{
    fs, thread,
    time::{Duration, Instant},
};

use crate::{
    crowd::{certify, with_tls},
    support::{STEP, Server, fields, now, user},
};
use client::{Client, ClientError, Options};
use serde_json::Value;

/// One connection, and what it is answered over and over.
struct Open(std::net::TcpStream);

impl Open {
    fn to(server: &Server) -> Self {
        Self(std::net::TcpStream::connect(&server.address).unwrap())
    }

    fn ask(&mut self, path: &str, token: &str) -> u16 {
        use std::io::{Read as _, Write as _};
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n");
        self.0.write_all(head.as_bytes()).unwrap();
        let (mut seen, mut part) = (Vec::new(), [0; 4096]);
        loop {
            let read = self.0.read(&mut part).unwrap();
            assert!(read > 0, "the connection was closed");
            seen.extend_from_slice(&part[..read]);
            let text = String::from_utf8_lossy(&seen).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let head = head.to_lowercase();
                let length = head.split("content-length: ").nth(1).unwrap();
                let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
                if body.len() >= length {
                    return head.split(' ').nth(1).unwrap().parse().unwrap();
                }
            }
        }
    }
}

#[test]
fn clients_come_and_go_without_a_restart() {
    let server = Server::with("reload_seconds = 0", vec![], vec![]);
    let monitor = server.tokens["monitor"].clone();
    let mut open = Open::to(&server);
    assert_eq!(open.ask("/metrics", &monitor), 200);
    let drawn = services::tables::draw_role_token();
    assert_eq!(open.ask("/metrics", &drawn.token), 401);
    // One is revoked, another is made.
    let hash = blake3::hash(monitor.as_bytes()).to_hex().to_string();
    server.configure(|text| text.replace(&hash, &drawn.hash));
    assert_eq!(open.ask("/metrics", &monitor), 200, "nobody has said so yet");
    server.signal("HUP");
    server.until_told("reload: ");
    assert_eq!(open.ask("/metrics", &monitor), 401, "over the same connection");
    assert_eq!(open.ask("/metrics", &drawn.token), 200);
    // What is wrong changes nothing, and says why.
    for (wrong, why) in [
        ("[[client]", "server.toml: "),
        (
            "listen = \"127.0.0.1:9\"\ntables = \"tables\"\nreload_seconds = 0",
            "`listen` needs a restart",
        ),
    ] {
        let path = server.directory.path().join("server.toml");
        let good = fs::read_to_string(&path).unwrap();
        server.configure(|_| wrong.to_owned());
        server.signal("HUP");
        server.until_told(why);
        server.until_told("what held before holds on");
        assert_eq!(open.ask("/metrics", &drawn.token), 200, "{wrong}");
        server.configure(|_| good.clone());
    }
    let metrics = server.raw(("GET", "/metrics"), Some(&drawn.token), &[], &[]).body;
    let metrics = String::from_utf8(metrics).unwrap();
    assert!(metrics.contains("subrosa_alarms_total{kind=\"reload\"} 2"), "{metrics}");
    assert!(metrics.contains("subrosa_connections "), "{metrics}");
}

#[test]
fn the_page_is_served_as_its_file_is_now() {
    let server = Server::with("reload_seconds = 0", vec![], vec![]);
    let none = server.get("/verify", None);
    assert_eq!((none.status, none.json()["reason"].as_str()), (404, Some("page")));
    let file = server.directory.path().join("verify.html");
    fs::write(&file, "<!doctype html><title>one</title>").unwrap();
    server.configure(|text| format!("page = \"verify.html\"\n{text}"));
    server.signal("HUP");
    server.until_told("reload: ");
    let page = server.get("/verify", None);
    assert_eq!((page.status, &*page.body), (200, b"<!doctype html><title>one</title>".as_slice()));
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(page.headers["content-security-policy"], "frame-ancestors 'none'");
    // Another page is taken; a file that is gone is not, and what was served still is.
    fs::write(&file, "two").unwrap();
    server.signal("HUP");
    // The notice is there from the first time.
    let start = Instant::now();
    while server.get("/verify", None).body != b"two" {
        assert!(start.elapsed() < Duration::from_secs(30), "the page is still the old one");
        thread::sleep(STEP);
    }
    fs::remove_file(&file).unwrap();
    server.signal("HUP");
    server.until_told("verify.html: ");
    assert_eq!(server.get("/verify", None).body, b"two");
}

#[test]
fn a_certificate_is_changed_by_changing_its_files() {
    let (server, old, files) = with_tls("reload_seconds = 1");
    let port = server.address.rsplit(':').next().unwrap().to_owned();
    let trusting = |chain: &[u8]| {
        let options = Options::new(&format!("https://localhost:{port}"), "pay");
        options.with_token(&server.tokens["operator"]).with_roots(chain.to_vec())
    };
    let mut kept = Client::connect(&trusting(&old), &server.table).unwrap();
    // The key first: for a moment the two do not fit, and what held before holds on.
    let new = certify(&files);
    server.until_told("is taken");
    assert!(matches!(
        Client::connect(&trusting(&old), &server.table),
        Err(ClientError::Transport { .. })
    ));
    Client::connect(&trusting(&new), &server.table).unwrap();
    kept.ingest(1, vec![fields(1)], "kept", now()).unwrap();
    fs::write(&files[0], "not a certificate").unwrap();
    server.until_told("what held before holds on");
    Client::connect(&trusting(&new), &server.table).unwrap();
}

#[test]
fn one_users_tokens_are_revoked_and_nobody_elses() {
    let mut server = Server::start();
    let mut operator = server.client("operator");
    operator.ingest(1, (0..5).map(fields).collect(), "one", now()).unwrap();
    operator.seal(1, STEP).unwrap();
    let token = |index: u32| operator.token(&user(index), 600).unwrap().token.clone();
    let (lost, other) = (token(1), token(2));
    let keys = |server: &Server, token: &str| {
        server.raw(("GET", "/v1/tables/pay/keys?epoch=1"), Some(token), &[], &[]).status
    };
    assert_eq!([keys(&server, &lost), keys(&server, &other)], [200, 200]);
    operator.revoke(&user(1)).unwrap();
    let next = token(1);
    assert_eq!([keys(&server, &lost), keys(&server, &other)], [401, 200]);
    assert_eq!(keys(&server, &next), 200);
    // For good: also after a crash.
    server.kill_and_restart();
    assert_eq!([&lost, &other, &next].map(|token| keys(&server, token)), [401, 200, 200]);
    // A list that is damaged would make them hold again.
    assert!(server.stop());
    let list = server.directory.path().join("tables/users.revoked");
    let mut bytes = fs::read(&list).unwrap();
    let last = bytes.len() - 33;
    bytes[last] ^= 1;
    fs::write(&list, bytes).unwrap();
    assert!(!server.starts());
}

#[test]
fn who_asked_what_is_noted_without_secrets() {
    let options = "[access_log]\nfile = \"access.log\"";
    let mut server = Server::with(options, vec![], vec![]);
    let mut operator = server.client("operator");
    operator.ingest(1, (0..5).map(fields).collect(), "one", now()).unwrap();
    operator.seal(1, STEP).unwrap();
    let token = operator.token(&user(3), 600).unwrap().token.clone();
    server.raw(("GET", "/v1/tables/pay/lookup?epoch=1"), Some(&token), &[], &[]);
    server.raw(("GET", "/v1/tables/nothing/lookup?token=hunter2"), Some("hunter2"), &[], &[]);
    server.get("/metrics", Some("querier"));
    assert!(server.stop());
    let path = server.directory.path().join("access.log");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |who: &str, route: &str| {
        let found = lines
            .iter()
            .find(|line| line["who"].as_str().unwrap().starts_with(who) && line["route"] == route);
        found.unwrap_or_else(|| panic!("{who} {route} in {text}")).clone()
    };
    let fed = of("client:operator", "/v1/tables/{table}/rows");
    assert_eq!((&fed["status"], &fed["table"]), (&200.into(), &server.table.to_string().into()));
    assert!(fed["time"].as_u64().unwrap() / 1000 <= now() && fed["address"] == "127.0.0.1");
    let looked = of("user:", "/v1/tables/{table}/lookup");
    assert_eq!((&looked["status"], &looked["epoch"]), (&200.into(), &1.into()));
    let guessed = of("nobody", "/v1/tables/{table}/lookup");
    assert_eq!((&guessed["status"], &guessed["reason"]), (&401.into(), &"unauthorized".into()));
    assert_eq!(of("client:querier", "/metrics")["reason"], "forbidden");
    let tokens = server.tokens.values().map(String::as_str);
    for secret in tokens.chain([token.as_str(), "hunter2", "person 3"]) {
        assert!(!text.contains(secret), "{secret}");
    }
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}
