//! `subrosa vole prove|verify|network`: two processes that meet over each transport.

use std::{
    fs,
    io::Write,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::common::{Ran, fail, run, subrosa, succeed};

const INCOME: &str = "\
subrosa-circuit 1
input income int 32
input limit int 32
enough = less limit income
output enough enough
";

/// Two statements about an income: with a claim that holds, and with one that does not.
fn world() -> tempfile::TempDir {
    let temporary = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        fs::write(temporary.path().join(name), text).expect("a file");
    };
    write("income.circuit", INCOME);
    write("witness.json", r#"{"income": 41250}"#);
    write("poor.json", r#"{"income": 30000}"#);
    write("public.json", r#"{"limit": 30000, "enough": 1}"#);
    write("other.json", r#"{"limit": 20000, "enough": 1}"#);
    temporary
}

/// Runs both parties to their ends: prover, verifier.
fn meet(directory: &Path, address: &str, prover: &[&str], verifier: &[&str]) -> [Ran; 2] {
    let start = |verb, role: &[&str], arguments: &[&str]| {
        let arguments = [&["vole", verb], arguments, role, &["--json"]].concat();
        let mut command = subrosa(directory, &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    };
    let verifier = start("verify", &["--listen", address], verifier);
    let prover = start("prove", &["--connect", address], prover);
    [prover, verifier].map(|party| party.wait_with_output().expect("the program ends").into())
}

fn accepted(run: &Ran) -> Value {
    assert_eq!(run.code, 0, "{run:?}");
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["accepted"], true);
    assert_eq!(report["publicly_verifiable"], false);
    assert!(report["soundness_bits"].as_f64().expect("a number") > 55.0, "{report}");
    report
}

fn unix(directory: &Path) -> String {
    format!("unix://{}", directory.join("socket").display())
}

/// A port that was free a moment ago.
fn tcp() -> String {
    let listener = TcpListener::bind("localhost:0").expect("a port");
    format!("localhost:{}", listener.local_addr().expect("an address").port())
}

/// The public key of a key file.
fn public_key(root: &Path, file: &str) -> String {
    let secret = log::PartyKey::load(&root.join(file)).expect("a key file");
    secret.identity().id().to_string()
}

const STATEMENT: [&str; 3] = ["income.circuit", "--public", "public.json"];

fn proving(witness: &str) -> Vec<&str> {
    [&STATEMENT[..], &["--witness", witness]].concat()
}

#[test]
fn an_honest_prover_is_accepted_over_every_transport() {
    let world = world();
    let root = world.path();
    let [prover, verifier] = meet(root, &unix(root), &proving("witness.json"), &STATEMENT);
    let [prover, verifier] = [accepted(&prover), accepted(&verifier)];
    assert_eq!(verifier["outputs"]["enough"], 1);
    assert_eq!(verifier["role"], "verifier");
    assert_eq!(prover["bytes_sent"], verifier["bytes_received"]);

    let address = format!("tcp://{}", tcp());
    let ran = meet(root, &address, &proving("witness.json"), &STATEMENT);
    ran.iter().for_each(|run| drop(accepted(run)));

    let names = vec!["localhost".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    fs::write(root.join("chain.pem"), made.cert.pem()).expect("a file");
    fs::write(root.join("key.pem"), made.signing_key.serialize_pem()).expect("a file");
    let prover = [&proving("witness.json")[..], &["--tls-trust", "chain.pem"]].concat();
    let keys = ["--tls-chain", "chain.pem", "--tls-key", "key.pem"];
    let verifier = [&STATEMENT[..], &keys].concat();
    let ran = meet(root, &format!("tls://{}", tcp()), &prover, &verifier);
    ran.iter().for_each(|run| drop(accepted(run)));
}

#[test]
fn a_false_claim_is_refused() {
    let world = world();
    let root = world.path();
    // The prover finds out by itself, and says nothing to anybody.
    let alone = ["vole", "prove", "--connect", "unix:///nobody"];
    let alone = [&alone[..], &proving("poor.json")].concat();
    fail(root, &alone, 1, "`enough` is not what the public values claim");
    // And if it goes on all the same, both parties hear the verdict.
    let prover = [&proving("poor.json")[..], &["--even-if-false"]].concat();
    let [prover, verifier] = meet(root, &unix(root), &prover, &STATEMENT);
    assert_eq!((prover.code, verifier.code), (1, 1), "{prover:?} {verifier:?}");
    assert!(prover.err.contains("the verifier refused"), "{prover:?}");
    assert!(verifier.err.contains("the prover's answer is wrong"), "{verifier:?}");
}

#[test]
fn what_goes_wrong_otherwise_is_no_verdict() {
    let world = world();
    let root = world.path();
    // Different public values.
    let other = ["income.circuit", "--public", "other.json"];
    let other = [&other[..], &["--connect-timeout-seconds", "3"]].concat();
    let [prover, verifier] = meet(root, &unix(root), &proving("witness.json"), &other);
    // The verifier goes on listening, and nobody else comes.
    assert_eq!((prover.code, verifier.code), (2, 3), "{prover:?} {verifier:?}");
    assert!(prover.err.contains("the same circuit and public values"), "{prover:?}");
    assert!(verifier.err.contains("a connection was refused"), "{verifier:?}");

    // A peer that hangs up at once, and one that hangs up within a message, and one that is silent.
    let address = tcp();
    let listener = TcpListener::bind(&address).expect("a port");
    let peer = thread::spawn(move || {
        for bytes in [&[][..], &[200, 0, 0, 0, 1]] {
            let (mut socket, _) = listener.accept().expect("a prover");
            socket.write_all(bytes).expect("a prover");
        }
        let _silent = listener.accept().expect("a prover");
        thread::sleep(Duration::from_secs(3));
    });
    let remote = format!("tcp://{address}");
    for _ in 0..3 {
        let prove = ["vole", "prove", "--connect", &remote, "--timeout-seconds", "1"];
        fail(root, &[&prove[..], &proving("witness.json")].concat(), 3, "error");
    }
    peer.join().expect("the peer ends");

    // The same for the verifier; and nobody at all.
    let address = tcp();
    let listen = format!("tcp://{address}");
    let times = ["--timeout-seconds", "2", "--connect-timeout-seconds", "2"];
    let verify = [&["vole", "verify", "--listen", &listen], &STATEMENT[..], &times].concat();
    let hung_up = subrosa(root, &verify).stdout(Stdio::null()).spawn().expect("it starts");
    let mut socket = loop {
        match TcpStream::connect(&address) {
            Ok(socket) => break socket,
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    };
    socket.write_all(&[200, 0, 0, 0, 1]).expect("a verifier");
    drop(socket);
    let ended = hung_up.wait_with_output().expect("the program ends");
    assert_eq!(ended.status.code(), Some(3));
    fail(root, &verify, 3, "the other party was not there within 2s");
    fail(root, &verify, 3, "start the other party with --connect");
}

#[test]
fn misuse_says_where() {
    let world = world();
    let root = world.path();
    fs::write(root.join("wrong.circuit"), "subrosa-circuit 1\ninput x int 8\ny = add x z\n")
        .expect("a file");
    fs::write(root.join("adder.txt"), "1 3\n2 1 1\n1 1\n\n2 1 0 1 3 XOR\n").expect("a file");
    let verify = |circuit| ["vole", "verify", circuit, "--connect", "unix:///nobody"];
    fail(root, &verify("wrong.circuit"), 2, "wrong.circuit: line 3, column 11: wire z");
    fail(root, &verify("adder.txt"), 2, "adder.txt: line 5, column 9: the header has no wire 3");
    let prove = ["vole", "prove", "income.circuit", "--connect", "unix:///nobody"];
    let prove = [&prove[..], &["--witness", "witness.json"]].concat();
    fail(root, &prove, 2, "witness.json: value of `limit`: it is missing");
    fail(root, &["vole", "verify", "income.circuit"], 2, "--connect");
}

/// Both parties name the converter, and must name the same.
#[test]
fn converters_are_agreed_on() {
    let world = world();
    let root = world.path();
    for converter in ["edabits", "cheddabits-v1-tspa"] {
        let named = ["--converter", converter, "--insecure-generator"];
        let prover = [&proving("witness.json")[..], &named].concat();
        let ran = meet(root, &unix(root), &prover, &[&STATEMENT[..], &named].concat());
        ran.iter().for_each(|run| assert_eq!(accepted(run)["converter"], converter));
    }
    let verifier = [&STATEMENT[..], &["--connect-timeout-seconds", "3"]].concat();
    for other in [
        ["--converter", "cheddabits-v1-xor8maj7"],
        ["--parameters", "no-lpn/1"],
        ["--soundness", "80"],
    ] {
        let prover = [&proving("witness.json")[..], &other].concat();
        let [prover, verifier] = meet(root, &unix(root), &prover, &verifier);
        assert_eq!((prover.code, verifier.code), (2, 3), "{prover:?} {verifier:?}");
        assert!(prover.err.contains("and the same converter"), "{prover:?}");
    }
    // What exists for comparisons is not taken by mistake.
    let biased = ["--converter", "cheddabits-v1-tspa", "--connect", "unix:///nobody"];
    let biased = [&["vole", "verify"], &STATEMENT[..], &biased].concat();
    fail(root, &biased, 2, "give --insecure-generator to compare");
}

#[test]
fn stages_are_told_if_asked_for() {
    let world = world();
    let root = world.path();
    let prover = [&proving("witness.json")[..], &["-v"]].concat();
    let [prover, verifier] = meet(root, &unix(root), &prover, &STATEMENT);
    accepted(&prover);
    accepted(&verifier);
    for stage in ["keys: ", "correlations: ", "gates: 3 ", "verdict: 1 "] {
        assert!(prover.err.contains(stage), "{stage}: {prover:?}");
    }
    assert_eq!(verifier.err, "");
}

/// What the verifier gives to others is its word, and says so.
#[test]
fn a_verdict_is_signed_and_is_no_proof() {
    let world = world();
    let root = world.path();
    succeed(root, &["board", "keygen", "--key", "verifier.key"]);
    succeed(root, &["board", "keygen", "--key", "prover.key"]);
    let prover_id = public_key(root, "prover.key");
    let signing = ["--bundle", "verdict", "--key", "verifier.key", "--nonce", "c0ffee"];
    let nobody = [&["vole", "verify", "--connect", "unix:///nobody"], &STATEMENT[..], &signing];
    fail(root, &nobody.concat(), 2, "describe the prover with --subject");
    let verifier = [&STATEMENT[..], &signing, &["--peer", &prover_id]].concat();
    let prover = [&proving("witness.json")[..], &["--key", "prover.key"]].concat();
    let ran = meet(root, &unix(root), &prover, &verifier);
    assert_eq!(accepted(&ran[1])["peer"], prover_id);
    ran.iter().for_each(|run| drop(accepted(run)));
    // A stranger has the signer's word, and says whether that is enough.
    let verify = ["verify", "verdict"];
    fail(root, &verify, 4, "that the signer tells the truth");
    let other = format!("word:{prover_id}");
    fail(
        root,
        &[&verify[..], &["--accept", &other]].concat(),
        4,
        "that the signer tells the truth",
    );
    let word = format!("word:{}", public_key(root, "verifier.key"));
    let verified = run(root, &[&verify[..], &["--accept", &word]].concat());
    assert_eq!(verified.code, 0, "{verified:?}");
    assert!(verified.out.contains("not publicly verifiable"), "{verified:?}");
    for line in ["enough = 1", "nonce: c0ffee", "the signature holds", &prover_id] {
        assert!(verified.out.contains(line), "{line}: {verified:?}");
    }

    // A false claim leaves no verdict, and an existing bundle is not written into.
    let prover = [&proving("poor.json")[..], &["--even-if-false"]].concat();
    let signing = ["--bundle", "refused", "--key", "verifier.key", "--subject", "somebody"];
    let refused = [&STATEMENT[..], &signing].concat();
    let [_, refused] = meet(root, &unix(root), &prover, &refused);
    assert_eq!(refused.code, 1, "{refused:?}");
    fail(root, &["verify", "refused"], 2, "bundle.json");
    let again = [&["vole", "verify", "--listen", "unix:///nobody"], &verifier[..]].concat();
    fail(root, &again, 2, "the directory holds other files");

    let public = root.join("verdict/objects/public");
    fs::write(public, r#"{"enough":1,"limit":90000}"#).expect("a file");
    fail(root, &["verify", "verdict"], 1, "objects/public");
}

/// The example: the committed network classifies the committed records as published.
#[test]
fn the_digits_of_the_example() {
    let world = world();
    let root = world.path();
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits");
    for file in ["model.json", "records.json", "public.json"] {
        fs::copy(examples.join(file), root.join(file)).expect("a file");
    }
    let network = ["vole", "network", "model.json", "--records", "records.json"];
    let into = ["--circuit", "digits.circuit", "--witness", "digits.json"];
    succeed(root, &[&network[..], &into].concat());

    let statement = ["digits.circuit", "--public", "public.json"];
    let prover = [&statement[..], &["--witness", "digits.json"]].concat();
    let [prover, verifier] = meet(root, &unix(root), &prover, &statement);
    accepted(&prover);
    let classes = accepted(&verifier)["outputs"]["classes"].clone();
    assert_eq!(classes, serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));

    // Another class for the last record.
    fs::write(root.join("public.json"), r#"{"classes": [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]}"#)
        .expect("a file");
    let prover = [&statement[..], &["--witness", "digits.json", "--even-if-false"]].concat();
    let [prover, verifier] = meet(root, &unix(root), &prover, &statement);
    assert_eq!((prover.code, verifier.code), (1, 1), "{prover:?} {verifier:?}");
}

/// A listener is there until the right party has come: not for a port scan, not for somebody who says
/// nothing or something else, and not for somebody else's key.
#[test]
fn strangers_do_not_end_a_listener() {
    let world = world();
    let root = world.path();
    for key in ["prover.key", "verifier.key", "stranger.key"] {
        succeed(root, &["board", "keygen", "--key", key]);
    }
    let [prover, verifier] = ["prover.key", "verifier.key"].map(|key| public_key(root, key));
    let address = tcp();
    let remote = format!("tcp://{address}");
    let of = |verb, own: &[&str]| {
        let arguments = [&["vole", verb], own, &["--json"]].concat();
        let mut command = subrosa(root, &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    };
    let verify = [&STATEMENT[..], &["--listen", &remote], &["--key", "verifier.key"]].concat();
    let listener = of("verify", &[&verify[..], &["--peer", &prover]].concat());
    // A port scan, once it listens.
    while TcpStream::connect(&address).is_err() {
        thread::sleep(Duration::from_millis(20));
    }
    // Something else than a greeting.
    let mut loud = TcpStream::connect(&address).expect("the listener");
    loud.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("the listener");
    // A prover with another key, who says so.
    let prove =
        |key| [&proving("witness.json")[..], &["--connect", &remote, "--key", key]].concat();
    let stranger = of("prove", &[&prove("stranger.key")[..], &["--peer", &verifier]].concat());
    let stranger: Ran = stranger.wait_with_output().expect("it ends").into();
    assert_eq!(stranger.code, 3, "{stranger:?}");
    // Somebody who says nothing holds up the next one for some seconds.
    let silent = TcpStream::connect(&address).expect("the listener");
    let honest = of("prove", &[&prove("prover.key")[..], &["--peer", &verifier]].concat());
    let [honest, listener] =
        [honest, listener].map(|party| Ran::from(party.wait_with_output().expect("it ends")));
    drop(silent);
    assert_eq!(accepted(&honest)["peer"], verifier);
    assert_eq!(accepted(&listener)["peer"], prover);
    assert_eq!(accepted(&honest)["session"], accepted(&listener)["session"]);
    assert!(listener.err.contains("a connection was refused"), "{listener:?}");
}

/// Two sessions, one after the other, for a soundness beyond that of one.
#[test]
fn soundness_is_chosen() {
    let world = world();
    let root = world.path();
    let level = ["--soundness", "100"];
    let prover = [&proving("witness.json")[..], &level].concat();
    let verifier = [&STATEMENT[..], &level, &["--min-soundness", "100"]].concat();
    let ran = meet(root, &unix(root), &prover, &verifier);
    for run in &ran {
        assert!(accepted(run)["soundness_bits"].as_f64().expect("a number") > 110.0);
    }
    let low = ["vole", "verify", "--connect", "unix:///nobody", "--min-soundness", "58"];
    fail(root, &[&low[..], &STATEMENT].concat(), 2, "raise --soundness");
}

/// The prover says which outputs may be seen.
#[test]
fn outputs_are_shown_by_consent() {
    let world = world();
    let root = world.path();
    fs::write(root.join("limit.json"), r#"{"limit": 30000}"#).expect("a file");
    let statement = ["income.circuit", "--public", "limit.json"];
    let prover = [&statement[..], &["--witness", "witness.json"]].concat();
    let alone = [&["vole", "prove", "--connect", "unix:///nobody"], &prover[..]].concat();
    fail(root, &alone, 2, "agree with --show enough");
    let other = [&alone[..], &["--show", "enough", "--show", "income"]].concat();
    fail(root, &other, 2, "--show income: there is no such output to show");
    let prover = [&prover[..], &["--show", "enough"]].concat();
    let [prover, verifier] = meet(root, &unix(root), &prover, &statement);
    accepted(&prover);
    assert_eq!(accepted(&verifier)["outputs"]["enough"], 1);
}
