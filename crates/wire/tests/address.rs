//! Addresses as text.

use wire::Address;

#[test]
fn round_trip() {
    let texts = [
        "tcp://localhost:0",
        "tcp://127.0.0.1:65535",
        "tcp://[::1]:7000",
        "tls://mixer-1.example.org:443",
        "tls://[2001:db8::1]:1",
        "unix:///run/board.sock",
        "unix:///with space/and:colon",
    ];
    for text in texts {
        assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
    }
}

#[test]
fn misuse_is_told() {
    let cases = [
        ("", "no scheme"),
        ("localhost:7000", "no scheme"),
        ("http://localhost:7000", "unknown"),
        ("TCP://localhost:7000", "unknown"),
        ("tcp://localhost", "no port"),
        ("tcp://localhost:", "port is not"),
        ("tcp://localhost:+1", "port is not"),
        ("tcp://localhost:65536", "port is not"),
        ("tcp://localhost:1/path", "port is not"),
        ("tcp://:7000", "no name"),
        ("tcp://user@host:7000", "no name"),
        ("tcp://::1:7000", "brackets"),
        ("tcp://[::1:7000", "brackets"),
        ("tcp://[localhost]:7000", "no IPv6"),
        ("tls://a b:7000", "no name"),
        ("unix://relative/path", "not absolute"),
        ("unix://", "not absolute"),
        ("unix:///", "not absolute"),
        ("unix:///a\0b", "zero byte"),
    ];
    for (text, reason) in cases {
        let error = text.parse::<Address>().unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("tcp://host:port"), "{error}");
    }
}
