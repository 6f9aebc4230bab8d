//! TLS: who is trusted, and who is refused.

use std::{
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

use crate::common::{TIME, certify, client_of, connect, server_of, within};
use wire::{Address, Channel, ChannelError, Listener, TlsClient, TlsServer};

fn refused(server: &TlsServer, client: &TlsClient) -> String {
    let listener = Listener::bind(&"tls://localhost:0".parse().unwrap(), Some(server)).unwrap();
    thread::scope(|scope| {
        let server = scope.spawn(|| listener.accept().unwrap().receive());
        let error = Channel::connect(listener.address(), Some(client), TIME).unwrap_err();
        assert!(matches!(error, ChannelError::Tls { .. }), "{error:?}");
        server.join().unwrap().unwrap_err();
        error.to_string()
    })
}

#[test]
fn the_authority_or_the_certificate_is_pinned() {
    let certified = certify("localhost");
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let own_server =
        TlsServer::from_pem(own.cert.pem().as_bytes(), own.signing_key.serialize_pem().as_bytes());
    let server = server_of(&certified);
    let both = client_of(&format!("{}{}", certify("localhost").leaf, certified.leaf));
    let trusting = [
        (&server, client_of(&certified.authority)),
        (&server, client_of(&certified.leaf)),
        (&server, both),
        (&own_server.unwrap(), client_of(&own.cert.pem())),
    ];
    for (server, client) in trusting {
        let (mut left, mut right) = connect("tls://localhost:0", Some((server, &client)));
        left.send(b"hello").unwrap();
        assert_eq!(right.receive().unwrap(), b"hello");
        right.send(b"hello, too").unwrap();
        assert_eq!(left.receive().unwrap(), b"hello, too");
    }
}

#[test]
fn a_pinned_certificate_needs_no_name() {
    let certified = certify("elsewhere.example");
    let client = client_of(&certified.leaf);
    connect("tls://127.0.0.1:0", Some((&server_of(&certified), &client)));
}

#[test]
fn strangers_are_refused() {
    let (certified, other) = (certify("localhost"), certify("localhost"));
    let server = server_of(&certified);
    for pem in [&other.authority, &other.leaf] {
        assert!(refused(&server, &client_of(pem)).contains("certificate"));
    }
    let named_otherwise = certify("elsewhere.example");
    let client = client_of(&named_otherwise.authority);
    assert!(refused(&server_of(&named_otherwise), &client).contains("name"));
}

#[test]
fn a_pinned_certificate_without_its_key_is_refused() {
    let (certified, thief) = (certify("localhost"), certify("localhost"));
    let error = TlsServer::from_pem(certified.leaf.as_bytes(), thief.key.as_bytes()).unwrap_err();
    assert!(matches!(error, ChannelError::Tls { .. }));
}

#[test]
fn unreadable_pem_is_refused() {
    let certified = certify("localhost");
    let (leaf, key) = (certified.leaf.as_bytes(), certified.key.as_bytes());
    for wrong in [&b""[..], b"not PEM", key, &leaf[..leaf.len() / 2]] {
        assert!(TlsClient::from_pem(wrong).is_err());
        assert!(TlsServer::from_pem(wrong, key).is_err());
    }
    assert!(TlsServer::from_pem(leaf, b"").is_err());
    assert!(TlsServer::from_pem(leaf, leaf).is_err());
}

#[test]
fn certificates_go_with_tls_only() {
    let certified = certify("localhost");
    let (server, client) = (server_of(&certified), client_of(&certified.leaf));
    let tcp: Address = "tcp://127.0.0.1:1".parse().unwrap();
    let tls: Address = "tls://127.0.0.1:1".parse().unwrap();
    for outcome in [Channel::connect(&tcp, Some(&client), TIME), Channel::connect(&tls, None, TIME)]
    {
        assert!(matches!(outcome, Err(ChannelError::Tls { .. })));
    }
    for outcome in [Listener::bind(&tcp, Some(&server)), Listener::bind(&tls, None)] {
        assert!(matches!(outcome, Err(ChannelError::Tls { .. })));
    }
}

#[test]
fn a_server_that_never_shakes_hands_times_out() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let address = Address::Tls { host: "127.0.0.1".to_owned(), port };
    let client = client_of(&certify("localhost").leaf);
    let connect = || Channel::connect(&address, Some(&client), Duration::from_millis(200));
    let error = within(TIME, connect).unwrap_err();
    assert!(matches!(error, ChannelError::TimedOut), "{error:?}");
}

#[test]
fn a_client_without_tls_is_refused() {
    let server = server_of(&certify("localhost"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut accepted = Channel::tls_server(listener.accept().unwrap().0, &server).unwrap();
    Channel::tcp(socket).unwrap().send(b"in the clear").unwrap();
    let error = accepted.receive().unwrap_err();
    assert!(matches!(error, ChannelError::Tls { .. } | ChannelError::Closed), "{error:?}");
}

/// Both ends derive the same binding; somebody between two connections has a different one in each.
#[test]
fn a_binding_is_of_one_connection() {
    let certified = certify("localhost");
    let (server, client) = (server_of(&certified), client_of(&certified.leaf));
    let mut bindings = [0, 1].map(|_| {
        let (mut left, mut right) = connect("tls://localhost:0", Some((&server, &client)));
        let (left, right) = (left.binding().unwrap(), right.binding().unwrap());
        assert!(left.is_some());
        assert_eq!(left, right);
        left
    });
    assert_ne!(bindings[0].take(), bindings[1].take());
    let (mut left, _right) = connect("tcp://localhost:0", None);
    assert_eq!(left.binding().unwrap(), None);
}

/// A server that asks for certificates takes those that it knows, and no client without one.
#[test]
fn clients_show_certificates_if_asked() {
    let [certified, known, stranger] = ["localhost", "client", "client"].map(certify);
    let server = |clients: &str| {
        let [chain, key] = [certified.leaf.as_bytes(), certified.key.as_bytes()];
        TlsServer::for_clients(chain, key, clients.as_bytes()).unwrap()
    };
    let client = |own: &crate::common::Certified| {
        let [chain, key] = [own.leaf.as_bytes(), own.key.as_bytes()];
        TlsClient::with_certificate(certified.leaf.as_bytes(), chain, key).unwrap()
    };
    for trusted in [&known.leaf, &known.authority] {
        let server = server(trusted);
        let (mut left, mut right) = connect("tls://localhost:0", Some((&server, &client(&known))));
        assert_eq!(left.binding().unwrap(), right.binding().unwrap());
    }
    for refused in [client(&stranger), client_of(&certified.leaf)] {
        let address = "tls://localhost:0".parse().unwrap();
        let listener = Listener::bind(&address, Some(&server(&known.leaf))).unwrap();
        thread::scope(|scope| {
            let accepted = scope.spawn(|| listener.accept().unwrap().receive().unwrap_err());
            // In TLS 1.3 a client hears of it with the server's first answer.
            let channel = Channel::connect(listener.address(), Some(&refused), TIME);
            let answer = channel.and_then(|mut channel| channel.receive());
            answer.unwrap_err();
            let error = accepted.join().unwrap();
            assert!(matches!(error, ChannelError::Tls { .. }), "{error:?}");
        });
    }
}
