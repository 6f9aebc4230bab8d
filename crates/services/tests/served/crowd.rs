//! Peers that mean harm, by the hundred, beside clients that do not: silent ones, garbage, TLS handshakes
//! and heads that never end, readers that do not read; from one address and from many.
//!
//! ```console
//! $ cargo test --release -p subrosa-services --test served -- --ignored --nocapture long_hostile_connections
//! ```
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use crate::support::{STEP, Server, fields, now, user};
use client::load::{Borne, Load};
use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpSocket, TcpStream},
    time::{sleep, timeout},
};
use tokio_rustls::TlsConnector;

/// A server with TLS, and the certificate that its clients trust.
pub fn with_tls(options: &str) -> (Server, Vec<u8>, [PathBuf; 2]) {
    let directory = tempfile::tempdir().unwrap().keep();
    let files = [directory.join("chain.pem"), directory.join("key.pem")];
    let chain = certify(&files);
    let [certificate, key] = &files;
    let tls = format!("{options}\n[tls]\ncertificate = {certificate:?}\nkey = {key:?}");
    (Server::with(&tls, vec![], vec![]), chain, files)
}

/// Draws a certificate, and puts it and its key into their files.
pub fn certify([certificate, key]: &[PathBuf; 2]) -> Vec<u8> {
    let drawn = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let chain = drawn.cert.pem();
    fs::write(key, drawn.signing_key.serialize_pem()).unwrap();
    fs::write(certificate, &chain).unwrap();
    chain.into()
}

/// How an enemy behaves.
#[derive(Clone, Copy)]
enum Malice {
    Silent,
    Garbage,
    Handshake,
    Head,
    Unread,
}

const MALICE: [Malice; 5] =
    [Malice::Silent, Malice::Garbage, Malice::Handshake, Malice::Head, Malice::Unread];
/// Between two attempts of an enemy.
const AGAIN: Duration = Duration::from_millis(500);

struct Enemies {
    address: SocketAddr,
    tls: TlsConnector,
    stop: AtomicBool,
    attempts: AtomicU64,
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let written = std::future::poll_fn(|context| {
            std::pin::Pin::new(&mut *stream).poll_write(context, bytes)
        });
        bytes = &bytes[written.await?..];
    }
    std::future::poll_fn(|context| std::pin::Pin::new(&mut *stream).poll_flush(context)).await
}

/// Waits until the server has closed the connection, or for so long.
async fn until_closed(stream: &mut (impl AsyncRead + Unpin), time: Duration) {
    let closed = async {
        loop {
            let mut space = [0; 512];
            let mut buffer = ReadBuf::new(&mut space);
            let read = std::future::poll_fn(|context| {
                std::pin::Pin::new(&mut *stream).poll_read(context, &mut buffer)
            });
            if read.await.is_err() || buffer.filled().is_empty() {
                return;
            }
        }
    };
    let _ = timeout(time, closed).await;
}

impl Enemies {
    async fn connect(&self, from: Ipv4Addr) -> std::io::Result<TcpStream> {
        self.attempts.fetch_add(1, Ordering::Relaxed);
        let socket = TcpSocket::new_v4()?;
        // Who does not read has little room for what comes.
        socket.set_recv_buffer_size(4096)?;
        socket.bind((from, 0).into())?;
        socket.connect(self.address).await
    }

    /// Once; whatever goes wrong, the enemy comes again.
    async fn attack(&self, malice: Malice, from: Ipv4Addr) -> std::io::Result<()> {
        let long = Duration::from_secs(3600);
        let mut stream = self.connect(from).await?;
        let name = ServerName::try_from("localhost").unwrap();
        match malice {
            Malice::Silent => until_closed(&mut stream, long).await,
            Malice::Garbage => {
                write(&mut stream, &[0xa5; 2048]).await?;
                until_closed(&mut stream, long).await;
            }
            Malice::Handshake => {
                // A record that announces more than ever comes.
                write(&mut stream, &[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]).await?;
                loop {
                    sleep(Duration::from_secs(1)).await;
                    write(&mut stream, &[7]).await?;
                }
            }
            Malice::Head => {
                let mut stream = self.tls.connect(name, stream).await?;
                write(&mut stream, b"GET /health HTTP/1.1\r\nHost: a\r\nX-").await?;
                loop {
                    sleep(Duration::from_secs(1)).await;
                    write(&mut stream, b"a").await?;
                }
            }
            Malice::Unread => {
                let mut stream = self.tls.connect(name, stream).await?;
                let ask = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20);
                write(&mut stream, &ask).await?;
                // A byte now and then keeps what is counted by silence alone.
                loop {
                    sleep(Duration::from_secs(2)).await;
                    let mut byte = [0];
                    let mut buffer = ReadBuf::new(&mut byte);
                    let read = std::future::poll_fn(|context| {
                        std::pin::Pin::new(&mut stream).poll_read(context, &mut buffer)
                    });
                    read.await?;
                    if buffer.filled().is_empty() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    async fn live(self: Arc<Self>, index: u32) {
        let malice = MALICE[index as usize % MALICE.len()];
        // Half of them have one address.
        let from = match index % 2 {
            0 => Ipv4Addr::new(127, 0, 0, 2),
            _ => Ipv4Addr::from(0x7f01_0000 + index),
        };
        while !self.stop.load(Ordering::Relaxed) {
            let _ = self.attack(malice, from).await;
            sleep(AGAIN).await;
        }
    }
}

/// So many users ask beside so many enemies; how they fared, and how often the enemies came.
fn beside(enemies: u32, users: u32, time: Duration) -> (Borne, u64, String) {
    let options = "[limits]\nheader_seconds = 2\nwrite_seconds = 2\nconnections_per_address = 256\n\
                   connections_per_second = 256";
    let (server, chain, _) = with_tls(options);
    let port = server.address.rsplit(':').next().unwrap().parse().unwrap();
    let trusting = |token: &str| {
        let url = format!("https://localhost:{port}");
        client::Options::new(&url, "pay").with_token(token).with_roots(chain.clone())
    };
    let operator = trusting(&server.tokens["operator"]);
    let mut operator = client::Client::connect(&operator, &server.table).unwrap();
    operator.ingest(1, (0..users.max(50)).map(fields).collect(), "one", now()).unwrap();
    operator.seal(1, STEP).unwrap();
    let tokens: Vec<String> = (0..users)
        .map(|index| {
            thread::sleep(Duration::from_millis(10));
            operator.token(&user(index), 3600).unwrap().token.clone()
        })
        .collect();

    let mut roots = RootCertStore::empty();
    let pem = rustls::pki_types::pem::PemObject::from_pem_slice(&chain);
    roots.add(pem.unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let crowd = Arc::new(Enemies {
        address: (Ipv4Addr::LOCALHOST, port).into(),
        tls: TlsConnector::from(Arc::new(tls)),
        stop: AtomicBool::new(false),
        attempts: AtomicU64::new(0),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let gathering = Arc::clone(&crowd);
    let attack = thread::spawn(move || {
        runtime.block_on(async {
            let watch = Arc::clone(&gathering);
            for index in 0..enemies {
                tokio::spawn(Arc::clone(&gathering).live(index));
                // They come quickly, and not all in one instant.
                if index % 50 == 0 {
                    sleep(Duration::from_millis(5)).await;
                }
            }
            while !watch.stop.load(Ordering::Relaxed) {
                sleep(Duration::from_millis(50)).await;
            }
        });
    });
    // They are there first.
    thread::sleep(Duration::from_secs(1));
    let load = Load { epoch: 1, time, pause: Duration::from_millis(100) };
    let borne = load.run(&trusting(""), &tokens).unwrap();
    // Also who comes now is let in.
    client::Client::connect(&trusting(&server.tokens["querier"]), &server.table).unwrap();
    crowd.stop.store(true, Ordering::Relaxed);
    attack.join().unwrap();
    let told = fs::read_to_string(server.directory.path().join("server.notices"));
    (borne, crowd.attempts.load(Ordering::Relaxed), told.unwrap_or_default())
}

#[test]
fn hostile_connections_keep_nobody_waiting() {
    let (borne, attempts, told) = beside(100, 20, Duration::from_secs(3));
    assert_eq!((borne.errors, &borne.reason), (0, &None));
    assert!(borne.answers() > 100 && attempts >= 100, "{} {attempts}", borne.answers());
    assert_eq!(told, "", "nothing that an operator need look at");
}

#[test]
#[ignore = "half a minute of full load; what it measures depends on the machine"]
fn long_hostile_connections() {
    let number = |name: &str, default: u32| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (enemies, users) = (number("HOSTILE", 2000), number("HONEST", 200));
    let time = Duration::from_secs(number("HOSTILE_SECONDS", 20).into());
    let (borne, attempts, _) = beside(enemies, users, time);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "{enemies} enemies ({attempts} connections), {users} users: {} answers, {} errors {:?}, p50 {:?}, \
         p95 {:?}, p99 {:?}, most {:?}; load {}",
        borne.answers(),
        borne.errors,
        borne.reason,
        borne.percentile(50),
        borne.percentile(95),
        borne.percentile(99),
        borne.percentile(100),
        load.trim(),
    );
    assert_eq!(borne.errors, 0);
}
