//! `subrosa vote check`, `check-roll` and `dispute`: what became of a voter's ballot.

use std::path::{Path, PathBuf};

use ::log::{AuthorId, store::system_clock};
use serde_json::{Value, json};
use study::{
    description::Schedule,
    election::{
        Phase, RefusedBallot, Revision, Scheme,
        voter::{Complaint, Judgement, Noted, Receipt, Standing, Submission},
    },
};
use wire::Encode as _;

use super::{
    files::{BallotFiles, decode},
    ground::{Ground, GroundArgs, with_ground},
    said::find,
};
use crate::{failure::Failure, keygen::PassphraseArgs, output::Output};

/// Options of `check-roll`.
#[derive(clap::Args)]
pub struct RollArgs {
    #[command(flatten)]
    ground: GroundArgs,
    /// Your key file.
    #[arg(
        long,
        value_name = "FILE",
        env = "SUBROSA_KEY",
        hide_env_values = true,
        required_unless_present = "public_key"
    )]
    key: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// Your public key, instead of your key file.
    #[arg(long, value_name = "KEY", conflicts_with = "key")]
    public_key: Option<AuthorId>,
    /// The name under which you expect to be registered.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Runs `check-roll`.
pub fn roll(args: &RollArgs, output: &Output) -> Result<(), Failure> {
    let key = match (&args.public_key, &args.key) {
        (Some(key), _) => *key,
        (None, Some(path)) => args.passphrase.load(path)?.identity().id(),
        (None, None) => return Err(Failure::input("give your key with --key or --public-key")),
    };
    with_ground!(args.ground, ground => {
        let election = ground.election();
        let (place, voter) = find(election.roll(), &key)?;
        if let Some(name) = args.name.as_ref().filter(|name| **name != voter.name) {
            return Err(Failure::refused(format!(
                "the key is on the roll under the name `{}`, not `{name}`", voter.name
            )));
        }
        let class = voter.class.and_then(|class| election.class(class)).map(|class| &class.name);
        let object = json!({
            "voter": voter.name, "place": place, "class": class, "board": election.id().to_string(),
        });
        output.result(&object, || {
            let class = class.map_or(String::new(), |class| format!(", class {class}"));
            vec![format!("you are on the roll: {}{class}, at place {place}", voter.name)]
        });
        Ok(())
    })
}

/// Options of `check`.
#[derive(clap::Args)]
pub struct BallotArgs {
    /// The ballot that you cast, in the file that `vote seal` made.
    #[arg(value_name = "FILE", required_unless_present = "code")]
    file: Option<PathBuf>,
    /// The code or the tracker that you noted down, on a device that does not have the ballot's file.
    #[arg(long, value_name = "CODE", requires = "voter", conflicts_with = "file")]
    code: Option<Noted>,
    /// Your name on the roll.
    #[arg(long, value_name = "NAME", requires = "code")]
    voter: Option<String>,
    #[command(flatten)]
    ground: GroundArgs,
    /// The file for the complaint, if the station broke its promise [default: the ballot's file name with
    /// `.dispute`].
    #[arg(long, value_name = "FILE")]
    dispute: Option<PathBuf>,
}

/// Runs `check`.
pub fn ballot(args: &BallotArgs, output: &Output) -> Result<(), Failure> {
    with_ground!(args.ground, ground => match (&args.file, &args.code, &args.voter) {
        (Some(file), ..) => look(args, file, &ground, output),
        (None, Some(code), Some(name)) => look_for(code, name, &ground, output),
        _ => Err(Failure::input("give your ballot's file, or its code and your name")),
    })
}

/// Looks with nothing but what the voter noted down.
fn look_for<S: Scheme>(
    code: &Noted,
    name: &str,
    ground: &Ground<S>,
    output: &Output,
) -> Result<(), Failure> {
    let election = ground.election();
    let place = (0..).zip(election.roll()).find(|(_, voter)| voter.name == name);
    let (voter, _) =
        place.ok_or_else(|| Failure::refused(format!("`{name}` is not on the roll")))?;
    let own = Own { code: code.to_string(), revision: None };
    let standing = Standing::of_noted(election, voter, code);
    own.tell(&standing, is_open(ground), output).unwrap_or_else(|counts| {
        let missing = Missing { own: &own, counts, altered: altered(ground, voter) };
        Err(missing.without_file(is_open(ground)))
    })
}

fn look<S: Scheme>(
    args: &BallotArgs,
    file: &Path,
    ground: &Ground<S>,
    output: &Output,
) -> Result<(), Failure> {
    let files = BallotFiles::of(file);
    let submission: Submission<S> = files.read_cast()?;
    let (booth, election) = (ground.booth()?, ground.election());
    submission.verify(booth, election.roll()).map_err(Failure::input)?;
    let own =
        Own { code: submission.code(booth).to_string(), revision: submission.ballot.revision };
    let (voter, tracker) = (submission.ballot.voter, submission.tracker(booth));
    let standing = Standing::of(election, voter, &tracker);
    own.tell(&standing, is_open(ground), output).unwrap_or_else(|counts| {
        let missing = Missing { own: &own, counts, altered: altered(ground, voter) };
        let Some(receipt) = files.read_receipt()? else {
            return Err(missing.without_receipt(is_open(ground)));
        };
        let complaint = Complaint { submission, receipt };
        let judged = complaint.judge(election, ground.entries()).map_err(Failure::input)?;
        let dispute = args.dispute.clone().unwrap_or_else(|| beside(file));
        Err(missing.accuse(&complaint, &judged, &dispute)?)
    })
}

/// Whether ballots may still come.
fn is_open<S: Scheme>(ground: &Ground<S>) -> bool {
    ground.election().phase() == Phase::Casting
}

/// What was posted in a voter's name that everybody refuses.
fn altered<S: Scheme>(ground: &Ground<S>, voter: u32) -> String {
    let election = ground.election();
    let name = election.roll().get(voter as usize).map(|voter| &voter.name);
    let refused = election.refused().iter().rfind(|refused| Some(&refused.voter) == name);
    refused.map_or(String::new(), |refused| {
        format!(
            "; entry {} holds another ballot in your name, which is refused: {}",
            refused.sequence, refused.reason
        )
    })
}

const KEY_IS_KNOWN: &str = "if you did not sign the other ballot, somebody has your key: seal and \
                            submit your vote again, and tell the registrar";

/// What the answer says of the voter's own ballot.
struct Own {
    code: String,
    /// As the ballot's file says.
    revision: Option<u32>,
}

impl Own {
    /// Says what became of a ballot that was posted: `Ok` with the command's result. If it was not posted, `Err` with
    /// the voter's ballot that counts instead, if there is one.
    fn tell(
        &self,
        standing: &Standing,
        is_open: bool,
        output: &Output,
    ) -> Result<Result<(), Failure>, Option<Revision>> {
        match standing {
            Standing::Counts { sequence } => {
                let more = json!({ "entry": sequence, "final": !is_open });
                output.result(&self.object("counts", more), || {
                    let so_far = match is_open {
                        true => " so far: check again when the polls are closed",
                        false => "",
                    };
                    let code = &self.code;
                    vec![format!("{code}  your ballot counts, in entry {sequence}{so_far}")]
                });
                Ok(Ok(()))
            }
            Standing::Superseded { sequence, by } => Ok(Err(self.superseded(*sequence, by))),
            Standing::Refused(RefusedBallot { sequence, reason, .. }) => {
                let code = &self.code;
                let why = format!(
                    "your ballot {code} is in entry {sequence}, but it is refused: {reason}"
                );
                let object = self.object("refused", json!({ "entry": sequence }));
                Ok(Err(Failure::refused(why).with_result(object).hint(KEY_IS_KNOWN)))
            }
            Standing::Missing { counts } => Err(*counts),
        }
    }

    fn object(&self, standing: &str, more: Value) -> Value {
        let mut object = json!({
            "code": self.code, "revision": self.revision, "standing": standing,
        });
        if let (Some(fields), Value::Object(more)) = (object.as_object_mut(), more) {
            fields.extend(more);
        }
        object
    }

    fn superseded(&self, sequence: u64, by: &Revision) -> Failure {
        let Revision { number, sequence: later, .. } = by;
        let reason = format!(
            "your ballot {} is in entry {sequence}, but revision {number} in entry {later}, \
             signed with your key, counts instead",
            self.code
        );
        let more = json!({ "entry": sequence, "by": { "revision": number, "entry": later } });
        Failure::refused(reason).with_result(self.object("superseded", more)).hint(KEY_IS_KNOWN)
    }
}

/// A ballot that is not on the board.
struct Missing<'a> {
    own: &'a Own,
    counts: Option<Revision>,
    altered: String,
}

impl Missing<'_> {
    fn instead(&self) -> String {
        let counts = self.counts.map(|Revision { number, sequence, .. }| {
            format!("; your revision {number}, in entry {sequence}, counts")
        });
        format!("{}{}", counts.unwrap_or_default(), self.altered)
    }

    fn object(&self, more: Value) -> Value {
        let counts = self.counts.map(
            |Revision { number, sequence, .. }| json!({ "revision": number, "entry": sequence }),
        );
        let mut object = self.own.object("missing", more);
        if let Some(fields) = object.as_object_mut() {
            fields.insert("counts".to_owned(), json!(counts));
        }
        object
    }

    fn without_receipt(&self, is_open: bool) -> Failure {
        let hint = match is_open {
            true => "cast it with `subrosa vote submit`",
            false => {
                "there is no receipt, so no station promised to post it, and there is nothing to \
                 complain about"
            }
        };
        self.nowhere(is_open, hint)
    }

    /// The receipt is beside the ballot's file, on the device that cast it.
    fn without_file(&self, is_open: bool) -> Failure {
        self.nowhere(
            is_open,
            "check it with the ballot's file, on the device that cast it: if a station gave a \
             receipt, that is evidence",
        )
    }

    fn nowhere(&self, is_open: bool, hint: &str) -> Failure {
        let reason = format!("your ballot {} is not on the board{}", self.own.code, self.instead());
        let failure = match is_open {
            true => Failure::unestablished(reason),
            false => Failure::refused(reason),
        };
        failure.hint(hint).with_result(self.object(json!({})))
    }

    /// What the board says about the station's promise; writes the complaint if it is broken.
    fn accuse<S: Scheme>(
        &self,
        complaint: &Complaint<S>,
        judgement: &Judgement,
        file: &Path,
    ) -> Result<Failure, Failure> {
        let (code, instead) = (&self.own.code, self.instead());
        let failure = match judgement {
            Judgement::Broken { station } => {
                let bytes = complaint.to_bytes();
                wire::write_atomic(file, &bytes).map_err(|error| Failure::file(file, error))?;
                let Receipt { post_by, .. } = complaint.receipt;
                let by = Schedule::in_words(post_by);
                let reason = format!(
                    "your ballot {code} is not on the board, although station {station} promised to post it by \
                     {by}{instead}"
                );
                let more = json!({ "station": station, "post_by": post_by, "dispute": file });
                Failure::refused(reason).with_result(self.object(more)).hint(format!(
                    "{} is evidence against the station: anybody can check it with `subrosa vote \
                     dispute`",
                    file.display()
                ))
            }
            // A missing ballot was neither kept nor late: only that it is early is left.
            _ => {
                let post_by = complaint.receipt.post_by;
                let left = post_by.saturating_sub(system_clock() / 1000);
                let reason = format!(
                    "your ballot {code} is not on the board yet; it is due in {left} s{instead}"
                );
                let object = self.object(json!({ "post_by": post_by }));
                Failure::unestablished(reason).with_result(object).hint("check again then")
            }
        };
        Ok(failure)
    }
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".dispute");
    name.into()
}

/// Options of `dispute`.
#[derive(clap::Args)]
pub struct DisputeArgs {
    /// The complaint, as `vote check` wrote it.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    ground: GroundArgs,
}

/// Runs `dispute`.
pub fn dispute(args: &DisputeArgs, output: &Output) -> Result<(), Failure> {
    with_ground!(args.ground, ground => judge(args, &ground, output))
}

fn judge<S: Scheme>(
    args: &DisputeArgs,
    ground: &Ground<S>,
    output: &Output,
) -> Result<(), Failure> {
    let complaint: Complaint<S> = decode(&args.file)?;
    let election = ground.election();
    let judged = complaint.judge(election, ground.entries());
    let judged = judged
        .map_err(|error| Failure::refused(format!("the complaint convicts nobody: {error}")))?;
    let code = complaint.submission.code(ground.booth()?).to_string();
    let voter = election.roll().get(complaint.submission.ballot.voter as usize);
    // It is on the roll: the judgement verified the ballot with the voter's key.
    let voter = voter.map_or("?", |voter| &voter.name);
    let by = Schedule::in_words(complaint.receipt.post_by);
    let (offence, station, line) = match judged {
        Judgement::Broken { station } => {
            ("dropped", station, format!("did not post the ballot {code} of {voter}"))
        }
        Judgement::Late { station, sequence, posted } => {
            let posted = Schedule::in_words(posted);
            let line =
                format!("posted the ballot {code} of {voter} at {posted}, in entry {sequence}");
            ("late", station, line)
        }
        Judgement::Kept { sequence } => {
            let reason =
                format!("the station kept its promise: the ballot {code} is in entry {sequence}");
            return Err(Failure::refused(reason).with_result(json!({ "entry": sequence })));
        }
        Judgement::Early { .. } => {
            let reason = format!("the station has time until {by}");
            return Err(Failure::unestablished(reason).hint("judge the complaint again then"));
        }
    };
    let object = json!({ "offence": offence, "station": station, "code": code, "voter": voter });
    output.result(&object, || {
        vec![format!("station {station} broke its promise: it {line}, promised by {by}")]
    });
    Ok(())
}
