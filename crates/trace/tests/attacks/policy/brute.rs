//! Against all permutations.

use std::collections::HashMap;

use rand_core::Rng;
use trace::{By, Floors, policy::Side};

use super::rules::{Asked, Mix, Rule, Set, WEAKER};
use crate::support::rng;

/// What is left of any row that is not known, at the least: candidates, and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Left {
    rows: usize,
    values: usize,
}

impl Left {
    const EVERYTHING: Self = Self { rows: usize::MAX, values: usize::MAX };

    fn least(self, other: Self) -> Self {
        Self { rows: self.rows.min(other.rows), values: self.values.min(other.values) }
    }

    fn is_below(self, floors: &Floors) -> bool {
        self.rows < floors.rows || self.values < floors.values
    }
}

/// What is left among possible permutations to who knows the outputs of the inputs in `known`. A
/// permutation gives for output j the input that it comes from.
fn left<'a>(
    mix: &Mix,
    possible: impl Iterator<Item = &'a Vec<usize>> + Clone,
    truth: &[usize],
    known: Set,
) -> Left {
    let rows = mix.rows();
    let agrees =
        |from: &&Vec<usize>| (0..rows).all(|j| known >> truth[j] & 1 == 0 || from[j] == truth[j]);
    let (mut outputs, mut inputs): (Vec<Set>, Vec<Set>) = (vec![0; rows], vec![0; rows]);
    for from in possible.filter(agrees) {
        for (j, i) in from.iter().enumerate() {
            outputs[*i] |= 1 << j;
            inputs[j] |= 1 << i;
        }
    }
    let others = (0..rows).filter(|i| known >> i & 1 == 0);
    let of_inputs = others
        .map(|i| Left { rows: outputs[i].count_ones() as usize, values: mix.values(outputs[i]) });
    let of_outputs = (0..rows).filter(|j| known >> truth[*j] & 1 == 0);
    let of_outputs = of_outputs
        .map(|j| Left { rows: (inputs[j] & !known).count_ones() as usize, values: usize::MAX });
    of_inputs.chain(of_outputs).fold(Left::EVERYTHING, Left::least)
}

fn permutations(rows: usize) -> Vec<Vec<usize>> {
    (0..rows).fold(vec![vec![]], |shorter, row| {
        let longer = shorter.iter().flat_map(|from: &Vec<usize>| {
            (0..=from.len()).map(|place| {
                let mut from = from.clone();
                from.insert(place, row);
                from
            })
        });
        longer.collect()
    })
}

/// All ways in which values of outputs can be equal.
fn patterns(rows: usize) -> Vec<Vec<u32>> {
    (0..rows).fold(vec![vec![]], |shorter, _| {
        let longer = shorter.iter().flat_map(|classes: &Vec<u32>| {
            let next = classes.iter().max().map_or(0, |class| class + 1);
            (0..=next).map(|class| [&classes[..], &[class]].concat())
        });
        longer.collect()
    })
}

fn all_floors(rows: usize, values: usize, coalition: usize) -> Vec<Floors> {
    let mut floors = Vec::new();
    for side in [Side::Inputs, Side::Outputs] {
        for rows in 1..=rows {
            for values in 1..=values {
                let all = (0..=coalition).map(|coalition| Floors { side, rows, values, coalition });
                floors.extend(all);
            }
        }
    }
    floors
}

const ROWS: usize = 4;

/// Four rows, where output j comes from input j: which input is called what makes no difference, as
/// questions are about all sets.
struct Four {
    permutations: Vec<Vec<usize>>,
    mix: Mix,
    questions: Vec<Asked>,
    /// Of each question, the permutations that answer it like the true one: a bit each.
    alike: Vec<u32>,
    /// What is left among such permutations to who knows c rows, for c = 0 and 1.
    left: HashMap<u32, [Left; 2]>,
}

impl Four {
    fn new(class_of: Vec<u32>) -> Self {
        let permutations = permutations(ROWS);
        let floors = Floors { side: Side::Inputs, rows: 1, values: 1, coalition: 0 };
        let mix = Mix { class_of, floors };
        let mut questions = Vec::new();
        for side in [Side::Inputs, Side::Outputs] {
            for by in [By::Value, By::Position] {
                for marked in 0..1 << ROWS {
                    let about = 0..1 << ROWS;
                    questions.extend(about.map(|about| Asked {
                        side,
                        by,
                        marked,
                        about,
                        querier: 0,
                    }));
                }
            }
        }
        let truth: Vec<usize> = (0..ROWS).collect();
        let alike = questions.iter().map(|asked| {
            let answer = mix.answer(asked, &truth);
            let places = permutations.iter().enumerate();
            let same = places.filter(|(_, from)| mix.answer(asked, from) == answer);
            same.fold(0, |bits, (place, _)| bits | 1 << place)
        });
        let alike = alike.collect();
        Self { alike, permutations, mix, questions, left: HashMap::new() }
    }

    fn left(&mut self, possible: u32) -> [Left; 2] {
        let Self { permutations, mix, left: seen, .. } = self;
        *seen.entry(possible).or_insert_with(|| {
            let truth: Vec<usize> = (0..ROWS).collect();
            let places = permutations.iter().enumerate();
            let those =
                places.filter(|(place, _)| possible >> place & 1 == 1).map(|(_, from)| from);
            let nobody = left(mix, those.clone(), &truth, 0);
            let knowing = (0..ROWS).map(|row| left(mix, those.clone(), &truth, 1 << row));
            [nobody, knowing.fold(nobody, Left::least)]
        })
    }

    /// Whether the rule answers two questions in turn, by what each marks and how.
    fn admitted(&self, mix: &Mix, rule: Rule) -> HashMap<(usize, usize), bool> {
        let truth: Vec<usize> = (0..ROWS).collect();
        let heads = || (0..self.questions.len()).step_by(1 << ROWS);
        let pairs = heads().flat_map(|first| heads().map(move |second| (first, second)));
        let judged = pairs.map(|(first, second)| {
            let [one, two] = [(first, 0), (second, 1)]
                .map(|(place, querier)| Asked { querier, ..self.questions[place] });
            let both =
                mix.admits(rule, &[], &one, &truth) && mix.admits(rule, &[one], &two, &truth);
            ((first >> ROWS, second >> ROWS), both)
        });
        judged.collect()
    }

    /// Whether any two questions that the rule answers leave less than it says.
    fn breaks(&mut self, rule: Rule, floors: Floors) -> bool {
        let mix = Mix { floors, ..self.mix.clone() };
        let admitted = self.admitted(&mix, rule);
        let mut marks: Vec<_> = admitted.into_iter().filter(|(_, both)| *both).collect();
        marks.sort_unstable();
        let abouts = 1 << ROWS;
        marks.into_iter().any(|((first, second), _)| {
            (0..abouts).any(|one| {
                (0..abouts).any(|two| {
                    let [one, two] = [first * abouts + one, second * abouts + two];
                    let both_constant =
                        [one, two].map(|place| self.mix.marks(&self.questions[place]));
                    if both_constant.iter().all(|marks| *marks == 0 || *marks == abouts as u32 - 1)
                    {
                        return false;
                    }
                    let possible = self.alike[one] & self.alike[two];
                    self.left(possible)[floors.coalition].is_below(&floors)
                })
            })
        })
    }
}

#[test]
fn every_pair_of_questions_about_four_rows_leaves_what_the_rule_says() {
    for class_of in patterns(ROWS) {
        let mut four = Four::new(class_of);
        for floors in all_floors(2, 2, 1) {
            assert!(!four.breaks(Rule::Crate, floors), "{:?} {floors:?}", four.mix.class_of);
            let mix = Mix { floors, ..four.mix.clone() };
            // And the rule is the text's.
            assert_eq!(four.admitted(&mix, Rule::Crate), four.admitted(&mix, Rule::Whole));
        }
    }
}

/// Two questions of which the rule answers the first only, both about all rows: for some permutation,
/// and somebody who knows c rows, they would leave less than it says.
#[test]
fn what_is_refused_of_four_rows_would_leave_less() {
    for class_of in patterns(ROWS) {
        for floors in all_floors(2, 2, 1).into_iter().filter(|floors| floors.rows == 2) {
            let mix = Mix { class_of: class_of.clone(), floors };
            let all = (1 << ROWS) - 1;
            let asked =
                |side, marked| Asked { side, by: By::Position, marked, about: all, querier: 0 };
            for (first, second) in (0..=all).flat_map(|one| (0..=all).map(move |two| (one, two))) {
                let [first, second] = [first, second].map(|marked| asked(floors.side, marked));
                let truth: Vec<usize> = (0..ROWS).collect();
                if !mix.admits(Rule::Crate, &[], &first, &truth)
                    || mix.admits(Rule::Crate, &[first], &second, &truth)
                {
                    continue;
                }
                let all = permutations(ROWS);
                let worst = all.iter().flat_map(|truth| {
                    let alike = |from: &&Vec<usize>| {
                        [first, second].iter().all(|q| mix.answer(q, from) == mix.answer(q, truth))
                    };
                    let possible: Vec<_> = all.iter().filter(alike).collect();
                    let known = (0..1 << ROWS)
                        .filter(|set: &Set| set.count_ones() as usize <= floors.coalition);
                    let mix = &mix;
                    known.map(move |set| left(mix, possible.iter().copied(), truth, set))
                });
                let worst = worst.fold(Left::EVERYTHING, Left::least);
                assert!(worst.is_below(&floors), "{mix:?} {first:?} {second:?}");
            }
        }
    }
}

/// A mix of six rows, three questions of which each is chosen in view of the answers before.
struct Session {
    mix: Mix,
    truth: Vec<usize>,
    told: Vec<Asked>,
    /// The permutations that agree with all answers, and with what was refused.
    possible: Vec<Vec<usize>>,
}

impl Session {
    fn random(all: &[Vec<usize>], rng: &mut impl Rng) -> Self {
        const ROWS: usize = 6;
        let pick = |below: u32, rng: &mut dyn Rng| (rng.next_u32() % below) as usize;
        let kinds = 1 + pick(ROWS as u32, rng) as u32;
        let class_of = (0..ROWS).map(|_| pick(kinds, rng) as u32).collect();
        let side = [Side::Inputs, Side::Outputs][pick(2, rng)];
        let [rows, values, coalition] = [1 + pick(2, rng), 1 + pick(3, rng), pick(3, rng)];
        let floors = Floors { side, rows, values, coalition };
        let truth = all[pick(all.len() as u32, rng)].clone();
        Self { mix: Mix { class_of, floors }, truth, told: vec![], possible: all.to_vec() }
    }

    /// A question of the side that is cut, mostly; about rows that an answer told apart, often.
    fn choose(&self, rng: &mut impl Rng) -> Asked {
        let mut bits = || rng.next_u32();
        let all = (1 << self.mix.rows()) - 1;
        let other = match self.mix.floors.side {
            Side::Inputs => Side::Outputs,
            Side::Outputs => Side::Inputs,
        };
        let side = if bits() % 4 == 0 { other } else { self.mix.floors.side };
        let by = [By::Value, By::Position][bits() as usize % 2];
        let seen = self.told.last().map_or(0, |asked| self.mix.answer(asked, &self.truth));
        let sparse = bits() & bits() & all;
        let marked = match bits() % 3 {
            0 => bits() & all,
            1 => seen ^ sparse,
            _ => self.told.first().map_or(0, |asked| asked.marked) ^ sparse,
        };
        let about = if bits() % 2 == 0 { all } else { bits() & all };
        Asked { side, by, marked, about, querier: bits() as usize % 2 }
    }

    /// Asks: what the asker sees is that it is refused, or the answer.
    fn ask(&mut self, rule: Rule, asked: Asked) {
        let Self { mix, truth, told, possible } = self;
        let is_admitted = mix.admits(rule, told, &asked, truth);
        if rule == Rule::TrueValues {
            possible.retain(|from| mix.admits(rule, told, &asked, from) == is_admitted);
        }
        if is_admitted {
            let answer = mix.answer(&asked, truth);
            possible.retain(|from| mix.answer(&asked, from) == answer);
            told.push(asked);
        }
    }

    /// Whether less is left than the rule says to somebody who knows these rows.
    fn is_broken(&self, known: Set) -> bool {
        let all = (1 << self.mix.rows()) - 1;
        let tells = |asked: &Asked| ![0, all].contains(&self.mix.marks(asked));
        self.told.iter().any(tells)
            && left(&self.mix, self.possible.iter(), &self.truth, known).is_below(&self.mix.floors)
    }
}

/// Random sessions under a rule: whether one leaves less than the rule says, among so many.
fn session_breaks(rule: Rule, sessions: usize, seed: u64) -> Option<Session> {
    let (all, mut rng) = (permutations(6), rng(seed));
    (0..sessions).find_map(|_| {
        let mut session = Session::random(&all, &mut rng);
        for _ in 0..3 {
            let asked = session.choose(&mut rng);
            session.ask(rule, asked);
        }
        let coalition = session.mix.floors.coalition;
        let mut known = 0_u32;
        while (known.count_ones() as usize) < coalition {
            known |= 1 << (rng.next_u32() % 6);
        }
        session.is_broken(known).then_some(session)
    })
}

#[test]
fn random_sessions_of_six_rows_leave_what_the_rule_says() {
    let broken = session_breaks(Rule::Crate, 100_000, 1);
    assert!(broken.is_none(), "{:?}", broken.map(|session| (session.mix, session.told)));
}

#[test]
fn every_part_of_the_rule_is_needed() {
    for rule in WEAKER {
        let is_caught = session_breaks(rule, 100_000, 2).is_some();
        assert!(is_caught, "{rule:?} is as good as the rule");
    }
    // Four rows catch most of them; what refusals tell, they do not try.
    let mut fours: Vec<Four> = patterns(ROWS).into_iter().map(Four::new).collect();
    for rule in WEAKER.into_iter().filter(|rule| *rule != Rule::TrueValues) {
        let mut all = all_floors(2, 2, 1).into_iter();
        let is_caught = all.any(|floors| fours.iter_mut().any(|four| four.breaks(rule, floors)));
        assert!(is_caught, "{rule:?} is as good as the rule for four rows");
    }
}
