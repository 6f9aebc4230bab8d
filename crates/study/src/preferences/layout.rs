//! A whole ballot: what it says about every question, one question after the other in its bytes.
//!
//! A ranking takes a byte a rank, the candidate's index plus one, zeros after the last choice.
//! Choices take a bit a candidate, the first one lowest. Grades take a byte a candidate, the grade plus
//! one, zero for none. Unused bytes of the last cell are zero.

use count::{Choices, Grades, Marks, Ranking};

use super::{BallotShape, Cell, Spoiled};
use crate::description::{Marking, Question};

/// How the ballots of an election are laid out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BallotLayout {
    parts: Vec<Part>,
    cell_bytes: usize,
}

/// How the answer to one question is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Ranking(BallotShape),
    Choices { candidates: usize, max_choices: usize },
    Grades { candidates: usize, best: u8 },
}

/// What one voter marked about every question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ballot(pub Vec<Marks>);

impl Ballot {
    /// The ranking of the first question, if it has rankings.
    pub fn ranking(&self) -> Option<&Ranking> {
        self.0.first()?.ranking()
    }
}

impl From<Ranking> for Ballot {
    fn from(ranking: Ranking) -> Self {
        Self(vec![Marks::Ranking(ranking)])
    }
}

impl From<&Ranking> for Ballot {
    fn from(ranking: &Ranking) -> Self {
        ranking.clone().into()
    }
}

impl From<&Ballot> for Ballot {
    fn from(ballot: &Ballot) -> Self {
        ballot.clone()
    }
}

/// A decrypted ballot: what it says about every question, or why that counts for nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened(pub Vec<Result<Marks, Spoiled>>);

impl From<Ballot> for Opened {
    fn from(ballot: Ballot) -> Self {
        Self(ballot.0.into_iter().map(Ok).collect())
    }
}

impl From<Result<Ranking, Spoiled>> for Opened {
    fn from(ballot: Result<Ranking, Spoiled>) -> Self {
        Self(vec![ballot.map(Marks::Ranking)])
    }
}

impl Part {
    fn bytes(self) -> usize {
        match self {
            Self::Ranking(shape) => shape.max_ranks(),
            Self::Choices { candidates, .. } => candidates.div_ceil(8),
            Self::Grades { candidates, .. } => candidates,
        }
    }

    fn write(self, marks: &Marks) -> Result<Vec<u8>, Spoiled> {
        match (self, marks) {
            (Self::Ranking(shape), Marks::Ranking(ranking)) => shape.write(ranking),
            (Self::Choices { .. }, Marks::Choices(choices)) => {
                self.check_choices(*choices)?;
                Ok(choices.bits().to_le_bytes().into_iter().take(self.bytes()).collect())
            }
            (Self::Grades { candidates, best }, Marks::Grades(grades)) => {
                if grades.grades().len() != candidates {
                    return Err(Spoiled::UnknownCandidate);
                }
                let byte = |grade: &Option<u8>| match grade {
                    Some(grade) if *grade > best => Err(Spoiled::UnknownGrade),
                    Some(grade) => Ok(grade + 1),
                    None => Ok(0),
                };
                grades.grades().iter().map(byte).collect()
            }
            _ => Err(Spoiled::WrongLength),
        }
    }

    /// Reads the part's bytes, and those after it that must be zero.
    fn read(self, bytes: &[u8]) -> Result<Marks, Spoiled> {
        if let Self::Ranking(shape) = self {
            return shape.read(bytes).map(Marks::Ranking);
        }
        let own = bytes.iter().take(self.bytes()).copied();
        let marks = match self {
            Self::Grades { best, .. } => {
                let grade = |byte: u8| match byte.checked_sub(1) {
                    Some(grade) if grade > best => Err(Spoiled::UnknownGrade),
                    grade => Ok(grade),
                };
                Marks::Grades(Grades::new(own.map(grade).collect::<Result<_, _>>()?))
            }
            _ => {
                let mut bits = [0; 8];
                bits.iter_mut().zip(own).for_each(|(bit, byte)| *bit = byte);
                let choices = Choices::from_bits(u64::from_le_bytes(bits));
                self.check_choices(choices)?;
                Marks::Choices(choices)
            }
        };
        match bytes.iter().skip(self.bytes()).all(|byte| *byte == 0) {
            true => Ok(marks),
            false => Err(Spoiled::TooManyRanks),
        }
    }

    fn check_choices(self, choices: Choices) -> Result<(), Spoiled> {
        let Self::Choices { candidates, max_choices } = self else { return Ok(()) };
        // Of 64 candidates every bit is one's, and none is left behind them.
        if choices.bits().checked_shr(u32::try_from(candidates).unwrap_or(64)).unwrap_or(0) != 0 {
            return Err(Spoiled::UnknownCandidate);
        }
        match choices.len() <= max_choices {
            true => Ok(()),
            false => Err(Spoiled::TooManyChoices),
        }
    }
}

impl BallotLayout {
    /// The layout of ballots with these questions, in cells of so many bytes, at least one.
    pub fn new(questions: &[Question], cell_bytes: usize) -> Self {
        let part = |question: &Question| {
            let candidates = question.candidates.len();
            match &question.marking {
                Marking::Ranking { max_ranks } => Part::Ranking(BallotShape {
                    // A checked description has MAX_CANDIDATES at most.
                    candidates: u8::try_from(candidates).unwrap_or(u8::MAX),
                    max_ranks: *max_ranks,
                    cell_bytes,
                }),
                Marking::Choices { max_choices } => {
                    Part::Choices { candidates, max_choices: (*max_choices).into() }
                }
                Marking::Grades { best, .. } => Part::Grades { candidates, best: *best },
            }
        };
        Self { parts: questions.iter().map(part).collect(), cell_bytes: cell_bytes.max(1) }
    }

    /// The number of questions.
    pub fn questions(&self) -> usize {
        self.parts.len()
    }

    /// The shape of a question's rankings, if it has rankings.
    pub fn ranking(&self, question: usize) -> Option<BallotShape> {
        match self.parts.get(question)? {
            Part::Ranking(shape) => Some(*shape),
            Part::Choices { .. } | Part::Grades { .. } => None,
        }
    }

    /// Bytes that all answers take.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.bytes()).sum()
    }

    /// Cells per ballot.
    pub fn columns(&self) -> usize {
        self.bytes().div_ceil(self.cell_bytes)
    }

    /// The one form of a ballot in cells.
    ///
    /// # Errors
    /// [`Spoiled`] if the ballot is of another layout.
    pub fn encode(&self, ballot: &Ballot) -> Result<Vec<Cell>, Spoiled> {
        if ballot.0.len() != self.parts.len() {
            return Err(Spoiled::WrongLength);
        }
        let mut bytes = Vec::new();
        for (part, marks) in self.parts.iter().zip(&ballot.0) {
            let end = bytes.len() + part.bytes();
            bytes.extend(part.write(marks)?);
            bytes.resize(end, 0);
        }
        bytes.resize(self.columns() * self.cell_bytes, 0);
        Ok(bytes.chunks(self.cell_bytes).map(<[u8]>::to_vec).collect())
    }

    /// What these cells say. An answer that [`encode`](Self::encode) does not make spoils its question
    /// alone; bytes behind the last answer spoil the last.
    pub fn decode(&self, cells: &[impl AsRef<[u8]>]) -> Opened {
        let is_whole = |cell: &[u8]| cell.len() == self.cell_bytes;
        if cells.len() != self.columns() || !cells.iter().all(|cell| is_whole(cell.as_ref())) {
            return self.unreadable();
        }
        let bytes: Vec<u8> = cells.iter().flat_map(AsRef::as_ref).copied().collect();
        let mut rest = bytes.as_slice();
        let last = self.parts.len().saturating_sub(1);
        let mut read = |(index, part): (usize, &Part)| {
            let (own, behind) = match index == last {
                true => (rest, &[][..]),
                // All columns are there, as was seen above, and have room for every part.
                false => rest.split_at_checked(part.bytes()).unwrap_or((rest, &[])),
            };
            rest = behind;
            part.read(own)
        };
        Opened(self.parts.iter().enumerate().map(&mut read).collect())
    }

    /// A ballot that is no text at all.
    pub fn unreadable(&self) -> Opened {
        Opened(vec![Err(Spoiled::WrongLength); self.parts.len()])
    }
}
