//! What the board amounts to: the session and every query, verified entry by entry.

use std::sync::Arc;

use board::{AuthorId, Entry};
use shuffle::{decrypt::PartialDecryption, tw::Generators};
use trace::{
    Agreement, TraceError,
    parts::Subject,
    routed::{
        InputBox, Inputs, KeyTranscript, Mixed, Outputs, PermutationMessage, RoutedEngine, Rules,
        Session, Turn,
    },
};
use wire::{CheckName, Decode as _, Digest};

use super::{Docket, G, Message, Setup, Task, Traced};
use crate::{checks::TR_13, replay::check_slot};

/// An entry that breaks the protocol, and has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The entry.
    pub sequence: u64,
    /// Who wrote it.
    pub author: AuthorId,
    /// The rule or equation that it breaks.
    pub reason: String,
}

/// How far a session is.
pub enum Stage {
    /// The servers make their key.
    Key(KeyTranscript<G>),
    /// Senders submit.
    Open(InputBox<G>),
    /// The servers commit, then mix, in order.
    Mixing(Mixing),
    /// The servers sign, in order, then decrypt.
    Decrypting(Decrypting),
    /// Queries are answered.
    Ready(Arc<Outputs<G>>),
    /// The session cannot be completed; why, and by whose doing.
    Failed(String),
}

/// A mix in the making.
pub struct Mixing {
    pub(super) inputs: Arc<Inputs<G>>,
    pub(super) generators: Arc<Generators<G>>,
    pub(super) permutations: Vec<PermutationMessage<G>>,
    pub(super) turns: Vec<Turn<G>>,
}

/// A mix that is verified, before it is opened.
pub struct Decrypting {
    pub(super) mixed: Arc<Mixed<G>>,
    /// The servers that signed so far.
    pub(super) agreement: Agreement,
    pub(super) partials: Vec<PartialDecryption<G>>,
}

/// A traceable mix, as of the last entry applied.
pub struct Tracing {
    id: Digest,
    operator: AuthorId,
    setup: Setup,
    rules: Rules,
    stage: Stage,
    docket: Docket,
    faults: Vec<Fault>,
}

impl Tracing {
    /// Begins with the genesis entry of a board.
    ///
    /// # Errors
    /// The reason, if the board is not that of a traceable mix.
    pub fn new(genesis: &Entry) -> Result<Self, String> {
        let message = Message::from_entry(genesis.kind(), genesis.payload());
        let Ok(Message::Setup(setup)) = message else {
            return Err("the board is not that of a traceable mix".to_owned());
        };
        let id = genesis.digest();
        let rules = setup.rules(&id).map_err(|error| error.to_string())?;
        let empty = KeyTranscript { round1: vec![], round2: vec![], round3: vec![] };
        let (stage, operator) = (Stage::Key(empty), genesis.author());
        Ok(Self { id, operator, setup, rules, stage, docket: Docket::default(), faults: vec![] })
    }

    /// Applies the next entry. One that breaks the protocol becomes a fault.
    pub fn apply(&mut self, entry: &Entry) {
        let author = entry.author();
        let taken = Message::from_entry(entry.kind(), entry.payload())
            .map_err(|error| error.to_string())
            .and_then(|message| {
                check_slot(self, entry, &message).map_err(|(_, reason)| reason)?;
                self.take(author, message)
            });
        if let Err(reason) = taken {
            self.faults.push(Fault { sequence: entry.sequence(), author, reason });
        }
    }

    /// The board's name.
    pub fn id(&self) -> &Digest {
        &self.id
    }

    /// The genesis entry.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The session's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How far the session is.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The queries.
    pub fn docket(&self) -> &Docket {
        &self.docket
    }

    pub(super) fn skip(&mut self, query: Digest, server: u16) {
        self.docket.skip(query, server);
    }

    /// The entries that had no effect.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The opened session, once there is one.
    pub fn outputs(&self) -> Option<&Arc<Outputs<G>>> {
        match &self.stage {
            Stage::Ready(outputs) => Some(outputs),
            _ => None,
        }
    }

    /// The session with its key, once there is one.
    pub fn session(&self) -> Option<&Arc<Session<G>>> {
        match &self.stage {
            Stage::Key(_) | Stage::Failed(_) => None,
            Stage::Open(inputs) => Some(inputs.session()),
            _ => self.inputs().map(|inputs| inputs.session()),
        }
    }

    /// The input list, once it is closed.
    pub fn inputs(&self) -> Option<&Arc<Inputs<G>>> {
        match &self.stage {
            Stage::Mixing(mixing) => Some(&mixing.inputs),
            Stage::Decrypting(decrypting) => Some(decrypting.mixed.inputs()),
            Stage::Ready(outputs) => Some(outputs.mixed().inputs()),
            _ => None,
        }
    }

    pub(super) fn generators(&self) -> Option<&Generators<G>> {
        match &self.stage {
            Stage::Mixing(mixing) => Some(&mixing.generators),
            Stage::Decrypting(decrypting) => Some(decrypting.mixed.generators()),
            Stage::Ready(outputs) => Some(outputs.mixed().generators()),
            _ => None,
        }
    }

    /// Whether a server answered as many questions as it answers at most.
    pub fn is_used_up(&self, server: u16, most: usize) -> bool {
        let outputs = self.outputs();
        outputs.is_some_and(|outputs| self.docket().is_used_up(outputs.ground(), server, most))
    }

    /// What a server is waited for, the oldest first.
    pub fn awaited(&self, server: u16) -> Option<Task> {
        let servers = self.rules.servers().len();
        let next = |done: usize| done + 1 == usize::from(server);
        match &self.stage {
            Stage::Key(key) => {
                let rounds = [key.round1.len(), key.round2.len(), key.round3.len()];
                let open = (1..).zip(rounds).find(|(_, done)| *done < servers);
                open.filter(|(_, done)| next(*done)).map(|(round, _)| Task::Key(round))
            }
            Stage::Mixing(mixing) if mixing.permutations.len() < servers => {
                next(mixing.permutations.len()).then_some(Task::Commit)
            }
            Stage::Mixing(mixing) => next(mixing.turns.len()).then_some(Task::Mix),
            Stage::Decrypting(decrypting) if decrypting.agreement.len() < servers => {
                next(decrypting.agreement.len()).then_some(Task::SignMix)
            }
            Stage::Decrypting(decrypting) => {
                let mut partials = decrypting.partials.iter();
                (!partials.any(|partial| partial.trustee() == server)).then_some(Task::Decrypt)
            }
            Stage::Ready(outputs) => self.docket.awaited(outputs.ground(), server),
            Stage::Open(_) | Stage::Failed(_) => None,
        }
    }

    fn take(&mut self, author: AuthorId, message: Message) -> Result<(), String> {
        let is_about_query =
            matches!(message, Message::Query(_) | Message::Refusal(..) | Message::Complaint(..))
                || message.task().and_then(Task::query).is_some();
        if is_about_query {
            let Self { stage: Stage::Ready(outputs), docket, .. } = self else {
                return Err("the mix is not opened yet".into());
            };
            return docket.take(outputs.ground(), &author, message);
        }
        if let Some(task) = message.task() {
            return self.take_from_server(author, task, message);
        }
        match message {
            Message::Submission(submission) => {
                let Stage::Open(inputs) = &mut self.stage else {
                    return Err("submissions are not open".into());
                };
                let is_own = submission.sender() == author.as_bytes();
                if !is_own || !self.setup.senders.contains(&author) {
                    return Err("not the ballot of a sender who may submit".into());
                }
                inputs.admit(submission).map_err(text)
            }
            Message::Close if author == self.operator => self.close(),
            Message::Close => Err("only the operator closes".into()),
            _ => Err("the session is set up already".into()),
        }
    }

    fn server(&self, author: &AuthorId) -> Option<u16> {
        let servers = self.rules.servers().iter();
        (1..).zip(servers).find(|(_, server)| *server == author).map(|(number, _)| number)
    }

    fn close(&mut self) -> Result<(), String> {
        let Stage::Open(inputs) = &self.stage else { return Err("nothing is open".into()) };
        if inputs.is_empty() {
            return Err("nobody submitted anything".into());
        }
        let stage = std::mem::replace(&mut self.stage, Stage::Failed(String::new()));
        let Stage::Open(inputs) = stage else { return Ok(()) };
        self.stage = match inputs.close() {
            Ok(inputs) => Stage::Mixing(Mixing {
                generators: Arc::new(Generators::derive(inputs.rows())),
                inputs: Arc::new(inputs),
                permutations: vec![],
                turns: vec![],
            }),
            Err(error) => Stage::Failed(error.to_string()),
        };
        Ok(())
    }

    /// A server says what it is waited for, and nothing else.
    fn take_from_server(
        &mut self,
        author: AuthorId,
        task: Task,
        message: Message,
    ) -> Result<(), String> {
        let server = self.server(&author).ok_or("no server of this session")?;
        if self.awaited(server) != Some(task) {
            return Err("the server is not waited for to say this".into());
        }
        let servers = self.rules.servers().len();
        let stage = std::mem::replace(&mut self.stage, Stage::Failed(String::new()));
        let (stage, taken) = match (stage, message) {
            (Stage::Key(key), message) => self.take_key(key, server, message),
            (Stage::Mixing(mixing), message) => mixing.take((server, servers), message),
            (Stage::Decrypting(decrypting), message) => decrypting.take(server, servers, message),
            (stage, _) => (stage, Err("out of place".into())),
        };
        self.stage = stage;
        taken
    }

    fn take_key(
        &self,
        mut key: KeyTranscript<G>,
        server: u16,
        message: Message,
    ) -> (Stage, Result<(), String>) {
        let authored = match &message {
            Message::KeyRound1(message) => message.trustee() == server,
            Message::KeyRound2(message) => message.dealer() == server,
            Message::KeyRound3(message) => message.trustee() == server,
            _ => false,
        };
        if !authored {
            return (Stage::Key(key), Err("a message of another server's part".into()));
        }
        match message {
            Message::KeyRound1(message) => key.round1.push(message),
            Message::KeyRound2(message) => key.round2.push(message),
            Message::KeyRound3(message) => key.round3.push(message),
            _ => {}
        }
        let stage = if key.round3.len() == self.rules.servers().len() {
            match Session::establish(self.rules.clone(), key) {
                Ok(session) => Stage::Open(InputBox::new(Arc::new(session))),
                Err(error) => Stage::Failed(error.to_string()),
            }
        } else {
            Stage::Key(key)
        };
        (stage, Ok(()))
    }
}

impl Mixing {
    /// What has another shape than the inputs is refused by its sender's name, and the sender still
    /// waited for: the next server takes what is in a turn. The proofs are verified together.
    fn take(
        mut self,
        (server, servers): (u16, usize),
        message: Message,
    ) -> (Stage, Result<(), String>) {
        let rows = self.inputs.rows();
        let taken = match message {
            Message::Permutation(permutation) if permutation.commitment.len() != rows => {
                let got = permutation.commitment.len();
                Err(format!("server {server} commits to a permutation of {got} rows, not {rows}"))
            }
            Message::Permutation(permutation) => {
                self.permutations.push(permutation);
                Ok(())
            }
            Message::MixTurn(turn) => turn
                .check_mix_shape(&self.inputs, &self.generators, server)
                .map(|()| self.turns.push(turn))
                .map_err(text),
            _ => Err("out of place".into()),
        };
        if taken.is_err() {
            return (Stage::Mixing(self), taken);
        }
        if self.turns.len() < servers {
            return (Stage::Mixing(self), Ok(()));
        }
        let Self { inputs, generators, permutations, turns } = self;
        let stage = match Mixed::verify(inputs, permutations, turns, generators) {
            Ok(mixed) => Stage::Decrypting(Decrypting {
                mixed: Arc::new(mixed),
                agreement: Agreement::default(),
                partials: vec![],
            }),
            Err(error) => Stage::Failed(error.to_string()),
        };
        (stage, Ok(()))
    }
}

impl Decrypting {
    fn take(
        mut self,
        server: u16,
        servers: usize,
        message: Message,
    ) -> (Stage, Result<(), String>) {
        match message {
            // One that is false has no effect and names its server: with it nobody would decrypt.
            Message::MixSignature(signature) => {
                let (rules, digest) = (self.mixed.inputs().session().rules(), *self.mixed.digest());
                let signed = self.agreement.add(signature, Subject::Mix, rules.servers(), digest);
                if let Err(error) = signed {
                    return (Stage::Decrypting(self), Err(error.to_string()));
                }
            }
            Message::Decryption(partial) if partial.trustee() == server => {
                self.partials.push(partial);
            }
            _ => return (Stage::Decrypting(self), Err("out of place".into())),
        }
        let threshold = self.mixed.inputs().session().rules().threshold();
        if self.partials.len() < usize::from(threshold) {
            return (Stage::Decrypting(self), Ok(()));
        }
        let opened =
            Outputs::open(self.mixed.clone(), self.agreement.clone(), self.partials.clone());
        let stage = match opened {
            Ok(outputs) => Stage::Ready(Arc::new(outputs)),
            Err(error) if self.partials.len() == servers => Stage::Failed(error.to_string()),
            // False ones are left out; the others are still to come.
            Err(_) => Stage::Decrypting(self),
        };
        (stage, Ok(()))
    }
}

fn text(error: TraceError) -> String {
    error.to_string()
}

impl Traced for Tracing {
    const CHECK: CheckName = TR_13;

    type Engine = RoutedEngine<G>;

    fn title(&self) -> &str {
        &self.setup.title
    }

    fn opened(&self) -> Option<Arc<Outputs<G>>> {
        self.outputs().cloned()
    }

    fn senders_of_rows(&self) -> Vec<AuthorId> {
        let Some(inputs) = self.inputs() else { return vec![] };
        let sender = |row| inputs.submission(row).and_then(|one| author_of(one.sender()));
        (0..inputs.rows()).filter_map(sender).collect()
    }

    fn is_agreed(&self, query: &Digest) -> bool {
        self.docket.agreed().any(|agreed| agreed.id() == query)
    }
}

/// The key that a submission names as its sender's; only such are admitted.
pub(super) fn author_of(sender: &[u8]) -> Option<AuthorId> {
    AuthorId::from_bytes(sender).ok()
}
