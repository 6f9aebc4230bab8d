//! `subrosa election count`: open ballots, counted without any cryptography.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use ::count::{
    Contest, Count, MAX_CANDIDATES, Names, OpenFileError, Rule, Unit, Weight, WeightError,
    read_blt, read_preflib,
};
use clap::Args as ClapArgs;
use serde_json::{Value, json};
use study::{count::BallotBox, description::Question, preferences::CastBallot};

use super::folder::{read_description, read_weighted};
use crate::{failure::Failure, output, output::Output};

/// The longest file of rankings, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Options of `count`.
#[derive(ClapArgs)]
pub struct Args {
    /// The ballots.
    #[arg(value_name = "BALLOTS")]
    ballots: PathBuf,
    /// The description of the election, for ballots in a CSV file [default: `election.toml` in the folder
    /// of the ballots].
    #[arg(long, value_name = "FILE")]
    election: Option<PathBuf>,
    /// How to count. Rankings: plurality, irv, borda, schulze, ranked-pairs, scottish-stv, meek-stv.
    /// Choices: approval, at-large. Grades: score, star, majority-judgment. May be given several times, for
    /// several counts [default: the description's rules].
    #[arg(long = "method", value_name = "METHOD")]
    methods: Vec<Rule>,
    /// The number of seats [default: what the description or the file says, or 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=MAX_CANDIDATES as i64))]
    seats: Option<u8>,
}

/// A question, its ballots counted.
struct Counted {
    question: Option<String>,
    candidates: Vec<String>,
    seats: u8,
    blank: u64,
    counts: Vec<Count>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let extension = args.ballots.extension().map(|extension| extension.to_ascii_lowercase());
    let extension = extension.as_ref().and_then(|extension| extension.to_str());
    let Counting { title, ballots, parts, questions } = match extension {
        Some("blt") => open_file(args, read_blt)?,
        Some("soc" | "soi" | "toc" | "toi") => open_file(args, read_preflib)?,
        _ => csv_file(args)?,
    };
    let mut object = json!({
        "title": title,
        "ballots": ballots,
        "questions": questions.iter().map(Counted::to_json).collect::<Vec<_>>(),
    });
    if let (2.., Some(fields)) = (parts, object.as_object_mut()) {
        fields.insert("unit".to_owned(), json!(format!("1/{parts}")));
    }
    output.result(&object, || {
        let ballots = output::counted(ballots, "ballot", "ballots");
        let unit = format!("Votes are counted in units of 1/{}", output::count(parts));
        let head = title.into_iter().chain([ballots]).chain((parts > 1).then_some(unit));
        head.chain(questions.iter().flat_map(Counted::lines)).collect()
    });
    Ok(())
}

/// What was counted.
struct Counting {
    title: Option<String>,
    ballots: u64,
    /// How many units of the counts make one vote.
    parts: u64,
    questions: Vec<Counted>,
}

fn csv_file(args: &Args) -> Result<Counting, Failure> {
    // A path without a parent is a name in this directory.
    let beside = || args.ballots.parent().unwrap_or(Path::new("")).join("election.toml");
    let description = read_description(&args.election.clone().unwrap_or_else(beside))?;
    let questions: Vec<Question> = description
        .questions
        .iter()
        .map(|question| asked(args, question))
        .collect::<Result<_, _>>()?;
    let (unit, boxes) = by_weight(read_weighted(&args.ballots, &description)?)
        .map_err(|error| Failure::file(&args.ballots, error))?;
    let boxes: Vec<(&BallotBox, u64)> = boxes.iter().map(|(own, votes)| (own, *votes)).collect();
    let tally = BallotBox::tally_weighted(&boxes, &questions);
    let results = tally.by_question();
    let counted = questions.into_iter().zip(results).map(|(question, result)| Counted {
        question: Some(question.text),
        candidates: question.candidates,
        seats: question.seats,
        blank: result.blank,
        counts: result.counts,
    });
    Ok(Counting {
        title: Some(description.title.clone()),
        ballots: tally.ballots,
        parts: unit.parts(),
        questions: counted.collect(),
    })
}

/// Ballots of equal weight in a box each, with what one of them counts in the common unit.
fn by_weight(ballots: Vec<CastBallot>) -> Result<(Unit, Vec<(BallotBox, u64)>), WeightError> {
    let mut boxes: HashMap<Weight, BallotBox> = HashMap::new();
    for cast in ballots {
        boxes.entry(cast.weight).or_default().add(cast.ballot);
    }
    let weights: Vec<Weight> = boxes.keys().copied().collect();
    let unit = Unit::of(&weights)?;
    let votes = |(weight, own)| Ok((own, unit.votes(weight).ok_or(WeightError::TooFine)?));
    Ok((unit, boxes.into_iter().map(votes).collect::<Result<_, _>>()?))
}

/// The question, counted as the options say.
fn asked(args: &Args, question: &Question) -> Result<Question, Failure> {
    let mut question = question.clone();
    if !args.methods.is_empty() {
        question.rules.clone_from(&args.methods);
    }
    question.seats = args.seats.unwrap_or(question.seats);
    let kind = question.marking.kind();
    if let Some(rule) = question.rules.iter().find(|rule| rule.kind() != kind) {
        return Err(Failure::input(format!("`{rule}` does not count ballots of this kind")).hint(
            "`subrosa election count --help` lists the methods for rankings, choices and grades",
        ));
    }
    check_seats(question.seats, question.candidates.len(), &question.rules)?;
    Ok(question)
}

fn open_file(
    args: &Args,
    read: impl Fn(&str) -> Result<::count::OpenElection, OpenFileError>,
) -> Result<Counting, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(&args.ballots, error.to_string());
    let bytes =
        wire::read_bounded(&args.ballots, MAX_FILE_BYTES).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    let election = read(&text).map_err(|error| failed(&error))?;
    if args.methods.is_empty() {
        return Err(Failure::input("the file does not say how to count")
            .hint("choose a method, such as --method scottish-stv"));
    }
    let seats = args.seats.or(election.seats).unwrap_or(1);
    let rankings = ::count::BallotKind::Ranking;
    if let Some(rule) = args.methods.iter().find(|rule| rule.kind() != rankings) {
        return Err(Failure::input(format!("`{rule}` does not count rankings")));
    }
    check_seats(seats, election.candidates.len(), &args.methods)?;
    let contest = Contest { candidates: election.candidates.len(), seats, best_grade: 0 };
    let count = |rule: &Rule| election.profile.count(*rule, &contest);
    let counted = Counted {
        question: None,
        seats,
        blank: election.profile.blank(),
        counts: args.methods.iter().map(count).collect(),
        candidates: election.candidates,
    };
    let (title, ballots) = (election.title, election.profile.total());
    Ok(Counting { title, ballots, parts: 1, questions: vec![counted] })
}

fn check_seats(seats: u8, candidates: usize, rules: &[Rule]) -> Result<(), Failure> {
    if usize::from(seats) > candidates {
        let candidates = output::counted(candidates as u64, "candidate", "candidates");
        return Err(Failure::input(format!("{seats} seats, but only {candidates}")));
    }
    // First preferences inform beside a count that fills the seats.
    let alone =
        |rule: &&Rule| !rule.fills_seats() && (**rule != Rule::Plurality || rules.len() == 1);
    match rules.iter().find(alone) {
        Some(rule) if seats > 1 => {
            Err(Failure::input(format!("`{rule}` elects one candidate, not {seats}"))
                .hint("choose another method, or --seats 1"))
        }
        _ => Ok(()),
    }
}

impl Counted {
    fn to_json(&self) -> Value {
        json!({
            "question": self.question,
            "candidates": self.candidates,
            "seats": self.seats,
            "blank": self.blank,
            "counts": self.counts,
        })
    }

    fn lines(&self) -> Vec<String> {
        let names = Names(&self.candidates);
        let mut lines = vec![String::new()];
        lines.extend(self.question.clone());
        if self.blank > 0 {
            lines.push(format!("{} blank", output::count(self.blank)));
        }
        for count in &self.counts {
            let by = match self.seats {
                seats @ 2.. if count.rule().fills_seats() => {
                    format!("By {}, {seats} seats", count.rule().title())
                }
                _ => format!("By {}", count.rule().title()),
            };
            lines.push(by);
            lines.extend(count.story(&names).into_iter().map(|line| format!("  {line}")));
            lines.push(format!("  {}", names.elected(&count.elected())));
        }
        lines
    }
}
