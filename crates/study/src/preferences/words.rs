//! A ballot in words, for the voter who looks whether it says what was meant.

use count::Marks;

use super::{Ballot, Opened};
use crate::description::Question;

impl Opened {
    /// What the ballot says about every question, in a line each.
    pub fn in_words(&self, questions: &[Question]) -> Vec<String> {
        let answers = questions.iter().zip(&self.0);
        let line = |(question, answer): (&Question, &Result<Marks, _>)| {
            let answer = match answer {
                Ok(marks) => marks_in_words(question, marks),
                Err(reason) => format!("spoiled: {reason}"),
            };
            format!("{} {answer}", question.text)
        };
        answers.map(line).collect()
    }
}

impl Ballot {
    /// The same of a ballot that nobody sealed yet.
    pub fn in_words(&self, questions: &[Question]) -> Vec<String> {
        Opened::from(self.clone()).in_words(questions)
    }
}

fn marks_in_words(question: &Question, marks: &Marks) -> String {
    let name = |candidate: usize| question.candidates.get(candidate).map_or("?", String::as_str);
    let all = 0..question.candidates.len();
    let words: Vec<String> = match marks {
        _ if marks.is_blank() => vec!["nothing".to_owned()],
        Marks::Ranking(ranking) => {
            let ranked = (1..).zip(ranking.choices());
            ranked.map(|(rank, choice)| format!("{rank}. {}", name((*choice).into()))).collect()
        }
        Marks::Choices(choices) => {
            let chosen = |candidate: &usize| {
                u8::try_from(*candidate).is_ok_and(|candidate| choices.contains(candidate))
            };
            all.filter(chosen).map(|candidate| name(candidate).to_owned()).collect()
        }
        Marks::Grades(grades) => {
            let graded = all.filter_map(|candidate| Some((candidate, grades.of(candidate)?)));
            let words = graded.map(|(candidate, grade)| {
                format!("{}: {}", name(candidate), question.grade(grade))
            });
            words.collect()
        }
    };
    words.join(", ")
}
