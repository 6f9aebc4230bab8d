//! Requests that mean harm: whatever they are, they get a 4xx with a reason, and the server goes on.
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::support::{Answer, STEP, Server, batch, fields, now};
use serde_json::{Value, json};

const INJECTIONS: [&str; 8] = [
    "'; DROP TABLE pay; --",
    "\" OR 1=1 --",
    "1); DELETE FROM pay WHERE (1=1",
    "ada' UNION SELECT * FROM secrets --",
    "\u{0}",
    "../../../secrets/master.key",
    "${jndi:ldap://x}",
    "%00%0a%0dSet-Cookie: a=b",
];

/// With what a question is refused that is not one.
const CODES: [&str; 4] = ["syntax", "subset", "column", "value"];

/// Seals an epoch, so that questions are read.
fn sealed(server: &Server) {
    let mut custodian = server.client("operator");
    custodian.ingest(1, (0..5).map(fields).collect(), "sealed", now()).unwrap();
    custodian.seal(1, STEP).unwrap();
}

fn refused(answer: &Answer, what: &str) {
    assert!((400..500).contains(&answer.status), "{what}: {answer:?}");
    answer.reason();
}

/// Bodies of `POST ../rows`, `../query` and `../tokens` that are something else.
#[test]
fn bodies_are_refused_with_a_reason() {
    let server = Server::with(
        "[limits]\nbody_bytes = 65536\nrequests_per_second = 10000\nburst = 10000",
        vec![],
        vec![],
    );
    sealed(&server);
    let token = server.tokens["everything"].as_str();
    let send = |path: &str, body: &[u8]| {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
        server.raw(("POST", path), Some(token), &headers, body)
    };
    let nested = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
    let bodies: Vec<Vec<u8>> = vec![
        vec![],
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{".to_vec(),
        b"{}".to_vec(),
        b"\xff\xfe".to_vec(),
        b"{\"sql\": 5, \"user\": [], \"epoch\": -1, \"rows\": {}}".to_vec(),
        b"{\"epoch\": 1e99, \"rows\": []}".to_vec(),
        b"{\"epoch\": 18446744073709551616, \"rows\": []}".to_vec(),
        b"{\"sql\": null}".to_vec(),
        b"{\"sql\": \"SELECT 1\", \"more\": 1}".to_vec(),
        br#"{"user": "", "seconds": 5}"#.to_vec(),
        br#"{"user": "a", "seconds": 0}"#.to_vec(),
        br#"{"user": "a", "seconds": 4294967296}"#.to_vec(),
        nested(10),
        nested(17),
        nested(30_000),
        b"{\"a\":".repeat(10_000),
        [b"{\"sql\": \"".to_vec(), vec![b'('; 60_000], b"\"}".to_vec()].concat(),
        vec![b' '; 70_000],
        vec![b'"'; 1_000_000],
    ];
    for path in ["rows", "query", "tokens", "attestations", "cosignatures"] {
        let path = format!("/v1/tables/pay/{path}");
        for body in &bodies {
            let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            refused(&send(&path, body), &format!("{path} {shown}"));
        }
        let oversized = send(&path, &vec![b'"'; 1_000_000]);
        let raw = path.ends_with("attestations") || path.ends_with("cosignatures");
        assert_eq!(oversized.status, if raw { 415 } else { 413 });
    }
    for body in &bodies {
        refused(&send("/v1/tables", body), "a new table");
    }
    assert_eq!(send("/v1/tables/pay/query", &nested(17)).reason(), "json-depth");
    let kind = |kind: &str| {
        let headers = [("content-type", kind), ("idempotency-key", "k")];
        server.raw(("POST", "/v1/tables/pay/query"), Some(token), &headers, b"{\"sql\":\"x\"}")
    };
    assert_eq!(kind("text/html").reason(), "media-type");
    assert_eq!(kind("application/json; charset=utf-8").reason(), "syntax");
    assert_eq!(server.get("/health", None).json()["status"], "ok");
}

/// SQL, paths and headers in every string: they are values, or they are refused.
#[test]
fn strings_are_values_and_nothing_else() {
    let server =
        Server::with("[limits]\nrequests_per_second = 10000\nburst = 10000", vec![], vec![]);
    sealed(&server);
    let post = |path: &str, body: &Value| {
        server.post(&format!("/v1/tables/pay/{path}"), "everything", body)
    };
    for (number, text) in INJECTIONS.into_iter().enumerate() {
        for field in ["role", "wage", "hours", "more"] {
            let mut rows = batch(2, 0..1);
            rows["rows"][0][field] = json!(text);
            refused(&post("rows", &rows), field);
        }
        let query = post("query", &json!({ "sql": text }));
        assert!(query.status == 422 && CODES.contains(&query.reason().as_str()), "{query:?}");
        let inside = json!({ "sql": format!("SELECT SUM(wage) FROM pay WHERE epoch = 1 AND role = {text}") });
        let inside = post("query", &inside);
        assert!(inside.status == 422 && CODES.contains(&inside.reason().as_str()), "{inside:?}");
        // A user may be called what it likes: it is a name, of a row of its own.
        let mut rows = batch(2, 0..1);
        rows["rows"][0]["user"] = json!(text);
        let key = format!("injection-{number}");
        let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
        let body = serde_json::to_vec(&rows).unwrap();
        let token = Some(server.tokens["everything"].as_str());
        let accepted = server.raw(("POST", "/v1/tables/pay/rows"), token, &headers, &body);
        assert_eq!(accepted.status, 200, "{accepted:?}");
        assert_eq!(accepted.json()["receipts"][0]["user"], text);
        let named = json!({ "schema": { "table": text }, "auditors": [text] });
        refused(&server.post("/v1/tables", "everything", &named), text);
    }
    for path in [
        "/v1/tables/%27%3B%20DROP%20TABLE",
        "/v1/tables/..%2f..%2fsecrets",
        "/v1/tables/pay/epochs/-1",
        "/v1/tables/pay/epochs/4294967296",
        "/v1/tables/pay/epochs/1%20OR%201=1",
        "/v1/tables/pay/log/tile/0/..%2f..%2f000",
        "/v1/tables/%ff",
        "/v1/tables/pay/log/consistency?from=1",
        "/v1/tables/pay/log/consistency?from=1&from=2&to=3",
        "/v1/tables/pay/log/consistency?from=-1&to=x",
        "/nothing",
    ] {
        refused(&server.get(path, None), path);
    }
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"] {
        let answer = server.raw((method, "/v1/tables/pay"), None, &[], &[]);
        assert_eq!((answer.status, answer.reason().as_str()), (405, "method"), "{method}");
        assert!(answer.headers["allow"].contains("GET"), "{method}: {answer:?}");
    }
}

/// Who asks too often, who guesses tokens, and who never ends a sentence.
#[test]
fn patience_ends() {
    let server = Server::with(
        "[limits]\nrequests_per_second = 2\nburst = 30\nheader_seconds = 1\nrequest_seconds = 2",
        vec![],
        vec![],
    );
    let quiet = TcpStream::connect(&server.address).unwrap();
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.write_all(b"GET /health HTTP/1.1\r\nHost: a\r\nX-").unwrap();
    let mut halting = TcpStream::connect(&server.address).unwrap();
    let token = &server.tokens["querier"];
    let head = format!(
        "POST /v1/tables/pay/query HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"sql\":"
    );
    halting.write_all(head.as_bytes()).unwrap();
    let start = Instant::now();
    for mut stream in [quiet, slow] {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut rest = Vec::new();
        // Closed by the server, with or without a word.
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 200"));
    }
    let mut answer = String::new();
    halting.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut part = [0; 512];
    let read = halting.read(&mut part).unwrap();
    answer += &String::from_utf8_lossy(&part[..read]);
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(start.elapsed() < Duration::from_secs(19));

    let guess = |number: u32| {
        server.raw(("GET", "/metrics"), Some(&format!("subrosa-role-{number}")), &[], &[])
    };
    let answers: Vec<Answer> = (0..60).map(guess).collect();
    assert_eq!(answers[0].reason(), "unauthorized");
    let last = answers.last().unwrap();
    assert_eq!((last.status, last.reason().as_str()), (429, "rate"));
    assert_eq!(last.headers["retry-after"], "1");
    // Who has a token does not suffer from who guesses.
    assert_eq!(server.get("/metrics", Some("monitor")).status, 200);
}
