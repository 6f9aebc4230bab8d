//! Whole ballots in cells: several questions, choices and grades beside rankings.

use proptest::prelude::*;
use study::{
    description::{Marking, Question, Rule},
    preferences::{Ballot, BallotLayout, Choices, Grades, Marks, Opened, Ranking, Spoiled},
};

fn question(candidates: u8, marking: Marking) -> Question {
    let rule = match marking {
        Marking::Ranking { .. } => Rule::Schulze,
        Marking::Choices { .. } => Rule::Approval,
        Marking::Grades { .. } => Rule::Score,
    };
    Question {
        text: "Who?".to_owned(),
        candidates: (0..candidates).map(|index| format!("N{index}")).collect(),
        marking,
        seats: 1,
        rules: vec![rule],
    }
}

/// Two of three chosen, and two graded up to five.
fn small() -> BallotLayout {
    let chosen = question(3, Marking::Choices { max_choices: 2 });
    let graded = question(2, Marking::Grades { best: 5, names: vec![] });
    BallotLayout::new(&[chosen, graded], 16)
}

fn choices(bits: u64) -> Marks {
    Marks::Choices(Choices::from_bits(bits))
}

fn grades(grades: &[Option<u8>]) -> Marks {
    Marks::Grades(Grades::new(grades.to_vec()))
}

fn decode(head: &[u8]) -> Vec<Result<Marks, Spoiled>> {
    let mut cell = [0; 16];
    cell[..head.len()].copy_from_slice(head);
    small().decode(&[cell]).0
}

#[test]
fn answers_stand_one_behind_the_other() {
    let layout = small();
    assert_eq!((layout.questions(), layout.bytes(), layout.columns()), (2, 3, 1));
    assert_eq!(layout.ranking(0), None);
    let ballot = Ballot(vec![choices(0b101), grades(&[Some(5), None])]);
    let mut cell = vec![0; 16];
    cell[..2].copy_from_slice(&[0b101, 6]);
    assert_eq!(layout.encode(&ballot).unwrap(), [cell.clone()]);
    assert_eq!(layout.decode(&[cell]), Opened::from(ballot));
    let blank: [Result<Marks, Spoiled>; 2] = [Ok(choices(0)), Ok(grades(&[None, None]))];
    assert_eq!(decode(&[]), blank);
}

#[test]
fn an_answer_spoils_its_question_alone() {
    let chosen: Result<Marks, Spoiled> = Ok(choices(1));
    let graded: Result<Marks, Spoiled> = Ok(grades(&[Some(0), None]));
    for (first, reason) in [
        (0b1000, Spoiled::UnknownCandidate),
        (0b1000_0001, Spoiled::UnknownCandidate),
        (0b111, Spoiled::TooManyChoices),
    ] {
        assert_eq!(decode(&[first, 1, 0]), [Err(reason), graded.clone()]);
    }
    for [one, other] in [[7, 0], [0, 255]] {
        let expected = [chosen.clone(), Err(Spoiled::UnknownGrade)];
        assert_eq!(decode(&[1, one, other]), expected);
    }
    // Bytes that belong to no question spoil the last one.
    for at in 3..16 {
        let mut cell = [0; 16];
        cell[0] = 1;
        cell[at] = 1;
        assert_eq!(decode(&cell), [chosen.clone(), Err(Spoiled::TooManyRanks)]);
    }
}

#[test]
fn other_cells_spoil_every_question() {
    let layout = small();
    let spoiled = Opened(vec![Err(Spoiled::WrongLength); 2]);
    assert_eq!(layout.unreadable(), spoiled);
    assert_eq!(layout.decode(&[[0; 16]; 0]), spoiled);
    assert_eq!(layout.decode(&[[0; 16]; 2]), spoiled);
    assert_eq!(layout.decode(&[[0; 15]]), spoiled);
    assert_eq!(layout.decode(&[[0; 17]]), spoiled);
}

#[test]
fn ballots_of_another_layout_are_not_encoded() {
    let (chosen, graded) = (choices(1), grades(&[Some(0), None]));
    let cases = [
        (vec![], Spoiled::WrongLength),
        (vec![chosen.clone()], Spoiled::WrongLength),
        (vec![graded.clone(), chosen.clone()], Spoiled::WrongLength),
        (vec![Marks::Ranking(Ranking::default()), graded.clone()], Spoiled::WrongLength),
        (vec![choices(0b1000), graded.clone()], Spoiled::UnknownCandidate),
        (vec![choices(0b111), graded], Spoiled::TooManyChoices),
        (vec![chosen.clone(), grades(&[Some(6), None])], Spoiled::UnknownGrade),
        (vec![chosen.clone(), grades(&[Some(255), None])], Spoiled::UnknownGrade),
        (vec![chosen.clone(), grades(&[None])], Spoiled::UnknownCandidate),
        (vec![chosen, grades(&[None; 3])], Spoiled::UnknownCandidate),
    ];
    for (marks, reason) in cases {
        assert_eq!(small().encode(&Ballot(marks)), Err(reason));
    }
}

#[test]
fn the_most_candidates_fit() {
    let chosen = question(64, Marking::Choices { max_choices: 64 });
    let layout = BallotLayout::new(&[chosen], 16);
    let ballot = Ballot(vec![choices(u64::MAX)]);
    let cells = layout.encode(&ballot).unwrap();
    assert_eq!(cells[0][..9], [255, 255, 255, 255, 255, 255, 255, 255, 0]);
    assert_eq!(layout.decode(&cells), Opened::from(ballot));
}

fn ranked() -> impl Strategy<Value = (Question, Marks)> {
    let marked = (1_u8..=64).prop_flat_map(|candidates| {
        let all: Vec<u8> = (0..candidates).collect();
        let most = all.len();
        (Just(candidates), prop::sample::subsequence(all, 0..=most).prop_shuffle())
    });
    marked.prop_map(|(candidates, choices)| {
        let asked = question(candidates, Marking::Ranking { max_ranks: candidates });
        (asked, Marks::Ranking(Ranking::new(choices).unwrap()))
    })
}

fn chosen() -> impl Strategy<Value = (Question, Marks)> {
    (1_u8..=64, any::<u64>()).prop_map(|(candidates, bits)| {
        let asked = question(candidates, Marking::Choices { max_choices: candidates });
        (asked, choices(bits & (u64::MAX >> (64 - candidates))))
    })
}

fn graded() -> impl Strategy<Value = (Question, Marks)> {
    let marked = (1_u8..=100).prop_flat_map(|best| {
        (Just(best), prop::collection::vec(prop::option::of(0..=best), 1..=64))
    });
    marked.prop_map(|(best, marked)| {
        let candidates = u8::try_from(marked.len()).unwrap();
        (question(candidates, Marking::Grades { best, names: vec![] }), grades(&marked))
    })
}

fn answers() -> impl Strategy<Value = Vec<(Question, Marks)>> {
    prop::collection::vec(prop_oneof![ranked(), chosen(), graded()], 1..=4)
}

proptest! {
    #[test]
    fn ballots_survive_cells(answers in answers(), cell in 1_usize..=20) {
        let (questions, marks): (Vec<Question>, Vec<Marks>) = answers.into_iter().unzip();
        let layout = BallotLayout::new(&questions, cell);
        let ballot = Ballot(marks);
        let cells = layout.encode(&ballot).unwrap();
        prop_assert_eq!(cells.len(), layout.columns());
        prop_assert_eq!(layout.decode(&cells), Opened::from(ballot));
    }

    #[test]
    fn any_cells_are_answered_and_have_one_form(
        answers in answers(),
        cell in 1_usize..=20,
        noise in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..=104), 0..4),
    ) {
        let (questions, marks): (Vec<Question>, Vec<Marks>) = answers.into_iter().unzip();
        let layout = BallotLayout::new(&questions, cell);
        let mut cells = layout.encode(&Ballot(marks)).unwrap();
        for (at, byte) in noise {
            let at = at.index(cells.len() * cell);
            cells[at / cell][at % cell] = byte;
        }
        let opened = layout.decode(&cells);
        prop_assert_eq!(opened.0.len(), questions.len());
        if let Ok(marks) = opened.0.into_iter().collect::<Result<Vec<_>, _>>() {
            prop_assert_eq!(layout.encode(&Ballot(marks)).unwrap(), cells);
        }
    }
}
