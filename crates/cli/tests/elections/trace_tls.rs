//! A traceable mix between hosts: the board's log kept over TLS, every party a process. One host stands still
//! for a while, and is cut off for a while; the session is finished all the same.

use std::{
    fs,
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{
    common::{fail, subrosa, succeed},
    elections::keeper::Keeper,
};

const SERVERS: usize = 3;
const MESSAGES: [&str; 4] = ["soup", "salad", "soup", "stew"];

/// Ends the processes that the test started, however it ends.
struct Crew(Vec<Child>);

impl Drop for Crew {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// A cable between a host and the board, to be pulled.
struct Cable {
    port: u16,
    is_cut: Arc<AtomicBool>,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Cable {
    fn to(board: String) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let (is_cut, ends) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let cable = Self { port, is_cut: is_cut.clone(), ends: ends.clone() };
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(far) = TcpStream::connect(&board) else { continue };
                let pairs =
                    [(near.try_clone(), far.try_clone()), (far.try_clone(), near.try_clone())];
                ends.lock().unwrap().extend([near, far]);
                for (from, to) in pairs {
                    let (from, to) = (from.unwrap(), to.unwrap());
                    thread::spawn(move || carry(from, to));
                }
            }
        });
        Ok(cable)
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        self.ends.lock().unwrap().drain(..).for_each(|end| drop(end.shutdown(Shutdown::Both)));
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 1 << 14];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

fn keygen(root: &Path, name: &str) -> String {
    succeed(root, &["trace", "keygen", "--key", &format!("{name}.key")]).trim().to_owned()
}

/// A session's files, and how its board's log is known.
struct Hosts<'a> {
    root: &'a Path,
    trust: [&'a str; 4],
}

impl Hosts<'_> {
    fn trace(&self, board: &str, arguments: &[&str]) -> String {
        let board = ["--board", board];
        succeed(self.root, &[&["trace"], arguments, &board, &self.trust].concat())
    }

    fn serve(&self, server: usize, board: &str) -> Child {
        let (key, journal) = (format!("server-{server}.key"), format!("journal-{server}"));
        let serve = ["trace", "serve", "--board", board, "--key", &key, "--policy", "policy.toml"];
        let more = ["--journal", &journal, "--queries", "1"];
        let arguments = [&serve[..], &more, &self.trust].concat();
        let log = fs::File::create(self.root.join(format!("server-{server}.log"))).expect("a file");
        let child = subrosa(self.root, &arguments).stdout(Stdio::null()).stderr(log).spawn();
        child.expect("the program starts")
    }
}

#[test]
fn servers_on_hosts_of_their_own_finish_though_one_was_stopped_and_cut_off() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("a file");
    let (operator, querier) = (keygen(root, "operator"), keygen(root, "querier"));
    let keeper = Keeper::start(root, &operator, &[&querier]);
    let hosts = Hosts { root, trust: keeper.trust() };
    let names = |what: &str, count| -> String {
        let keys: Vec<_> = (1..=count).map(|n| keygen(root, &format!("{what}-{n}"))).collect();
        keys.join("\n")
    };
    write("servers", &names("server", SERVERS));
    write("senders", &names("sender", MESSAGES.len()));
    let limits = "max_questions = 2\ncut = \"inputs\"\nmin_rows = 2\nmin_values = 2\ncoalition = 1";
    write("policy.toml", &format!("queriers = [\"{querier}\"]\n{limits}\n"));

    let address = keeper.address();
    let address = address.as_str();
    let cable = Cable::to(keeper.host.clone()).expect("a port");
    let through_cable = format!("https://127.0.0.1:{}", cable.port);
    let mut crew = Crew(Vec::new());

    let begin = |key: &'static str| {
        let init = ["init", "--key", key, "--title", "Lunch", "--servers", "servers"];
        [&init[..], &["--senders", "senders"]].concat()
    };
    // Nobody but the operator that the keeper knows begins a board there.
    let board = ["--board", address];
    let stranger = [&["trace"][..], &begin("sender-1.key"), &board, &hosts.trust].concat();
    fail(root, &stranger, 5, "may not write to this log");
    hosts.trace(address, &begin("operator.key"));

    let addresses = [address, &through_cable, address];
    crew.0.extend((1..).zip(addresses).map(|(server, address)| hosts.serve(server, address)));
    for (sender, message) in (1..).zip(MESSAGES) {
        let key = format!("sender-{sender}.key");
        hosts.trace(address, &["submit", "--key", &key, "--text", message]);
    }
    // Who has submitted writes nothing more, and no stranger writes anything.
    let submit = ["trace", "submit", "--key", "sender-1.key", "--text", "pie"];
    let again = [&submit[..], &board, &hosts.trust].concat();
    fail(root, &again, 2, "as many times as the rules allow");

    // Server 2 stands still while the mix is on, and then nothing reaches it for longer than a connection is
    // tried.
    signal(&crew.0[1], "-STOP");
    let mix = ["trace", "mix", "--key", "operator.key"];
    let mix =
        subrosa(root, &[&mix[..], &board, &hosts.trust].concat()).stdout(Stdio::piped()).spawn();
    let mix = mix.expect("the program starts");
    thread::sleep(Duration::from_millis(500));
    cable.cut();
    signal(&crew.0[1], "-CONT");
    thread::sleep(Duration::from_millis(3500));
    cable.mend();
    let mixed = mix.wait_with_output().expect("the mix ends");
    assert!(mixed.status.success(), "{mixed:?}");
    let mixed = String::from_utf8(mixed.stdout).expect("text");
    assert_eq!(mixed.matches("soup").count(), 2, "{mixed}");

    // A question over the same cable, which fails once more.
    let query =
        ["trace", "query", "out", "--key", "querier.key", "--outputs", "all", "--inputs", "all"];
    let asking = [&query[..], &["--bundle", "bundle", "--json"], &board, &hosts.trust].concat();
    let asking = subrosa(root, &asking).stdout(Stdio::piped()).spawn().expect("the program starts");
    cable.cut();
    thread::sleep(Duration::from_millis(500));
    cable.mend();
    let answered = asking.wait_with_output().expect("the query ends");
    assert!(answered.status.success(), "{answered:?}");
    succeed(root, &["verify", "bundle"]);
    let told = fs::read_to_string(root.join("server-2.log")).expect("a log");
    assert!(told.contains("trying again until the board answers"), "{told}");
    for server in &mut crew.0 {
        assert!(server.wait().expect("it ends").success());
    }

    // A querier whom the keeper does not know writes nothing.
    keygen(root, "stranger");
    let by_stranger = ["trace", "query", "out", "--key", "stranger.key", "--outputs", "all"];
    let by_stranger = [&by_stranger[..], &["--inputs", "all"], &board, &hosts.trust].concat();
    fail(root, &by_stranger, 5, "may not write to this log");
}
