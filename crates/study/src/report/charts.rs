//! Charts as inline SVG.
//!
//! Positions are percentages and text keeps its size, so that one drawing serves a phone and a
//! sheet of paper.

use count::Graded;
use maud::{Markup, html};

use super::{
    format::{grouped, percent, share, shortened},
    people::People,
};
use crate::count::{InstantRunoff, Outcome, Plurality, Round, Votes};

/// The width of a drawing in its own units; a percentage has three decimals.
const WIDTH: u32 = 100_000;

/// A horizontal position or length as a percentage.
fn x(units: u32) -> String {
    format!("{}.{:03}%", units / 1_000, units % 1_000)
}

/// One bar per candidate, the longest first.
pub(super) fn first_preferences(plurality: &Plurality, people: &People<'_>) -> Markup {
    bars("First preferences", &people.id("bars"), &plurality.votes, people)
}

/// One bar per candidate, the longest first. The chart's parts are named after `id`.
pub(super) fn bars(title: &str, id: &str, votes: &[Votes], people: &People<'_>) -> Markup {
    const ROW: usize = 50;
    let mut votes = votes.to_vec();
    votes.sort_by_key(|votes| (std::cmp::Reverse(votes.ballots), votes.candidate));
    let most = votes.first().map_or(0, |votes| votes.ballots);
    let all = votes.iter().fold(0_u64, |sum, votes| sum.saturating_add(votes.ballots));
    let figures: Vec<_> = votes
        .iter()
        .map(|votes| format!("{}: {}", people.name(votes.candidate), grouped(votes.ballots)))
        .collect();
    html! {
        svg.bars role="img" aria-labelledby={ (id) "-title " (id) "-desc" }
            width="100%" height=(votes.len() * ROW) {
            title id={ (id) "-title" } { (title) }
            desc id={ (id) "-desc" } { "Bar chart. " (figures.join("; ")) "." }
            @for (votes, top) in votes.iter().zip((0_usize..).step_by(ROW)) {
                text.label x="0" y=(top + 16) { (shortened(&people.name(votes.candidate), 28)) }
                text.figure x="100%" y=(top + 16) text-anchor="end" {
                    (grouped(votes.ballots)) tspan.soft dx="8" { (percent(votes.ballots, all)) }
                }
                @let length = share(votes.ballots, most, WIDTH);
                rect class=(people.colour(votes.candidate))
                    x="0" y=(top + 24) width=(x(length)) height="14" rx="3" {}
            }
        }
    }
}

/// How often each candidate got which grade: one bar a candidate, the best grade leftmost.
pub(super) fn grades(graded: &[&Graded], id: &str, people: &People<'_>) -> Markup {
    const ROW: usize = 50;
    let figures = |one: &Graded| {
        let counts: Vec<_> = one.ballots.iter().rev().map(|ballots| grouped(*ballots)).collect();
        format!("{}: {}", people.name(one.candidate), counts.join(", "))
    };
    let all: Vec<_> = graded.iter().map(|one| figures(one)).collect();
    html! {
        svg.bars role="img" aria-labelledby={ (id) "-title " (id) "-desc" }
            width="100%" height=(graded.len() * ROW) {
            title id={ (id) "-title" } { "Grades" }
            desc id={ (id) "-desc" } { "Ballots by grade, the best first. " (all.join("; ")) "." }
            @for (one, top) in graded.iter().zip((0_usize..).step_by(ROW)) {
                text.label x="0" y=(top + 16) { (shortened(&people.name(one.candidate), 40)) }
                (grade_bar(one, top + 24, people))
            }
            line.half x1="50%" x2="50%" y1="20" y2=(graded.len() * ROW) {}
        }
    }
}

fn grade_bar(one: &Graded, top: usize, people: &People<'_>) -> Markup {
    let whole = one.ballots.iter().fold(one.ungraded, |sum, ballots| sum.saturating_add(*ballots));
    let best = one.ballots.len().saturating_sub(1);
    let mut rest = Stretch { start: 0, ballots: whole };
    let parts =
        one.ballots.iter().enumerate().rev().map(|(grade, ballots)| (Some(grade), *ballots));
    let parts: Vec<_> = parts
        .chain([(None, one.ungraded)])
        .map(|(grade, ballots)| (grade, rest.split(ballots)))
        .collect();
    html! {
        @for (grade, stretch) in parts {
            @if stretch.ballots > 0 {
                @let (start, width) =
                    (share(stretch.start, whole, WIDTH), share(stretch.ballots, whole, WIDTH));
                rect class=(grade.map_or("exhausted", |grade| shade_class(grade, best)))
                    style=[grade.map(|grade| format!("--g:{}%", shade(grade, best)))]
                    x=(x(start)) y=(top) width=(x(width)) height="16" {
                    title { (people.counted(stretch.ballots)) }
                }
            }
        }
    }
}

/// A stage of a count for several seats.
pub(super) struct Seats<'a> {
    /// Whole votes by candidate.
    pub(super) votes: &'a [u64],
    /// Votes that nobody has.
    pub(super) exhausted: u64,
    /// Who reached a seat in this stage.
    pub(super) elected: &'a [u8],
}

/// One stacked bar a stage; who has a seat is marked from then on.
pub(super) fn seats(stages: &[Seats<'_>], valid: u64, id: &str, people: &People<'_>) -> Markup {
    const ROW: u32 = 48;
    let height = stages.len() * ROW as usize;
    let mut seated: Vec<u8> = Vec::new();
    let mut rows = Vec::new();
    for stage in stages {
        seated.extend(stage.elected);
        // For people: a stage has the votes of every candidate.
        let of = |who: &u8| stage.votes.get(usize::from(*who)).copied().unwrap_or(0);
        let mut rest = Stretch { start: 0, ballots: u64::MAX };
        let standing = people.by_finish().iter().map(|who| (Some(*who), of(who)));
        let parts: Vec<_> = standing
            .chain([(None, stage.exhausted)])
            .map(|(who, votes)| (who, rest.split(votes)))
            .collect();
        rows.push((parts, seated.clone()));
    }
    html! {
        svg.flow role="img" aria-labelledby={ (id) "-title " (id) "-desc" } width="100%" height=(height) {
            title id={ (id) "-title" } { "Votes per candidate in each stage" }
            desc id={ (id) "-desc" } { "One stacked bar a stage; the table below has the same figures." }
            @for ((parts, seated), top) in rows.iter().zip((4_u32..).step_by(ROW as usize)) {
                @for (who, stretch) in parts {
                    (part(*who, *stretch, top, valid, people, &html! {
                        title {
                            (who.map_or("Not transferable".into(), |who| people.name(who)))
                            ": " (grouped(stretch.ballots))
                        }
                        rect.segment width="100%" height="100%" {}
                        @if who.is_some_and(|who| seated.contains(&who))
                            && share(stretch.ballots, valid, 100) >= 3 {
                            text.inside x="8" y="23" { "✓" }
                        }
                    }))
                }
            }
            @for (number, top) in (1..=stages.len()).zip((4_u32..).step_by(ROW as usize)) {
                text.round x="-12" y=(top + 23) text-anchor="end" { tspan.wide { "Stage " } (number) }
            }
        }
    }
}

const BAR: u32 = 36;
const PITCH: u32 = 88;

/// A stretch of a bar, in ballots from the left.
#[derive(Clone, Copy)]
struct Stretch {
    start: u64,
    ballots: u64,
}

impl Stretch {
    fn split(&mut self, ballots: u64) -> Self {
        let taken = Self { start: self.start, ballots };
        self.start = self.start.saturating_add(ballots);
        self.ballots = self.ballots.saturating_sub(ballots);
        taken
    }
}

/// One stacked bar per round, the winner leftmost, and between the bars where ballots go.
pub(super) fn rounds(irv: &InstantRunoff, people: &People<'_>) -> Markup {
    let Some(first) = irv.rounds.first() else { return html! {} };
    let standing = first.standing.iter().map(|votes| votes.ballots);
    let whole = standing.fold(first.exhausted, u64::saturating_add);
    let id = people.id("flow");
    // There are fewer rounds than 64 candidates have.
    let height = u32::try_from(irv.rounds.len()).unwrap_or(1) * PITCH - (PITCH - BAR) + 8;
    html! {
        svg.flow role="img" aria-labelledby={ (id) "-title " (id) "-desc" } width="100%" height=(height) {
            title id={ (id) "-title" } { "Ballots per candidate in each round" }
            desc id={ (id) "-desc" } {
                "One stacked bar per round, from " (people.list(people.by_finish()))
                ", then exhausted ballots. Bands between the bars show where the ballots of an "
                "eliminated candidate go. The table and the list below have the same figures."
            }
            @for ((round, next), top) in pairs(&irv.rounds).zip((4_u32..).step_by(PITCH as usize)) {
                @if let Some(next) = next {
                    svg x="0" y=(top + BAR) width="100%" height=(PITCH - BAR)
                        viewBox={ "0 0 " (WIDTH) " " (PITCH - BAR) } preserveAspectRatio="none" {
                        (bands(round, next, whole, people))
                    }
                }
                (bar(round, top, whole, people))
            }
            @for (number, top) in (1..=irv.rounds.len()).zip((4_u32..).step_by(PITCH as usize)) {
                text.round x="-12" y=(top + 23) text-anchor="end" {
                    tspan.wide { "Round " } (number)
                }
            }
        }
    }
}

fn pairs(rounds: &[Round]) -> impl Iterator<Item = (&Round, Option<&Round>)> {
    let next = rounds.iter().skip(1).map(Some).chain([None]);
    rounds.iter().zip(next)
}

/// Where each candidate of a round stands in its bar; exhausted ballots have `None`.
fn layout(round: &Round, people: &People<'_>) -> Vec<(Option<u8>, Stretch)> {
    let standing = people.by_finish().iter();
    let standing =
        standing.filter_map(|id| round.ballots_of(*id).map(|ballots| (Some(*id), ballots)));
    let mut rest = Stretch { start: 0, ballots: u64::MAX };
    let parts = standing.chain([(None, round.exhausted)]);
    parts.map(|(who, ballots)| (who, rest.split(ballots))).collect()
}

fn bar(round: &Round, top: u32, whole: u64, people: &People<'_>) -> Markup {
    let elected = match round.outcome {
        Outcome::Elected { candidate } => Some(candidate),
        _ => None,
    };
    let line = share(round.majority, whole, WIDTH);
    html! {
        @for (who, stretch) in layout(round, people) {
            (part(who, stretch, top, whole, people, &html! {
                title {
                    (who.map_or("Exhausted".into(), |id| people.name(id)))
                    ": " (people.counted(stretch.ballots))
                }
                rect.segment width="100%" height="100%" {}
            }))
        }
        line.majority x1=(x(line)) x2=(x(line)) y1=(top - 4) y2=(top + BAR + 4) {}
        @for (who, stretch) in layout(round, people) {
            (part(who, stretch, top, whole, people, &inside(who, stretch.ballots, whole, elected, people)))
        }
    }
}

/// Something drawn where a candidate's ballots are, in the candidate's colour.
fn part(
    who: Option<u8>,
    stretch: Stretch,
    top: u32,
    whole: u64,
    people: &People<'_>,
    content: &Markup,
) -> Markup {
    let start = share(stretch.start, whole, WIDTH);
    let width = share(stretch.ballots, whole, WIDTH);
    html! {
        @if width > 0 && !content.0.is_empty() {
            svg class=(who.map_or("exhausted".to_owned(), |id| people.colour(id)))
                x=(x(start)) y=(top) width=(x(width)) height=(BAR) { (content) }
        }
    }
}

/// What fits into a segment: on a phone a percent is about 3 pixels wide, otherwise about 8.
fn inside(
    who: Option<u8>,
    ballots: u64,
    whole: u64,
    elected: Option<u8>,
    people: &People<'_>,
) -> Markup {
    let name = who.map_or("Exhausted".into(), |id| people.name(id));
    let figure = grouped(ballots);
    // Names and numbers are short.
    let pixels = |text: &str| {
        u32::try_from(text.chars().count()).unwrap_or(u32::MAX).saturating_mul(8).saturating_add(18)
    };
    let width = share(ballots, whole, WIDTH);
    let (phone, desk) = (width * 3 / 1_000, width * 8 / 1_000);
    let is_elected = who.is_some() && who == elected;
    html! {
        @if desk >= pixels(&figure) {
            @let class = if who.is_some() { "inside" } else { "inside out" };
            @let class = if phone >= pixels(&figure) { class.to_owned() } else { format!("{class} wide") };
            text class=(class) x="8" y="23" {
                @if is_elected { "✓ " }
                @if desk >= pixels(&name).saturating_add(pixels(&figure)) {
                    tspan.wide { (name) "  " }
                }
                tspan.figure { (figure) }
            }
        }
    }
}

/// The bands from one bar to the next.
fn bands(round: &Round, next: &Round, whole: u64, people: &People<'_>) -> Markup {
    let Outcome::Eliminated { candidate: leaving, transfers, exhausted, .. } = &round.outcome
    else {
        return html! {};
    };
    let mut above = layout(round, people);
    let mut leaver = above
        .iter()
        .find(|(who, _)| *who == Some(*leaving))
        .map_or(Stretch { start: 0, ballots: 0 }, |(_, stretch)| *stretch);
    above.retain(|(who, _)| *who != Some(*leaving));
    let gain = |who: Option<u8>| match who {
        Some(id) => transfers.iter().find(|votes| votes.candidate == id).map_or(0, |v| v.ballots),
        None => *exhausted,
    };
    html! {
        @for ((who, stays), (_, mut target)) in above.into_iter().zip(layout(next, people)) {
            @let gained = gain(who);
            // Newly exhausted ballots come from the left of those exhausted before.
            @let arrives_first = who.is_none().then(|| target.split(gained));
            @let stayed = target.split(stays.ballots);
            @let arrives = arrives_first.unwrap_or_else(|| target.split(gained));
            @let colour = who.map_or("exhausted".to_owned(), |id| people.colour(id));
            @if stays.ballots > 0 { path class={ "stay " (colour) } d=(band(stays, stayed, whole)) {} }
            @if gained > 0 {
                // A band of a few ballots is thinner than a pixel.
                @let thin = if share(gained, whole, WIDTH) < 300 { "thin " } else { "" };
                path class={ "move " (thin) (people.colour(*leaving)) }
                    d=(band(leaver.split(gained), arrives, whole)) {}
            }
        }
    }
}

fn band(from: Stretch, to: Stretch, whole: u64) -> String {
    let at = |ballots| share(ballots, whole, WIDTH);
    let (a, b) = (at(from.start), at(from.start.saturating_add(from.ballots)));
    let (c, d) = (at(to.start), at(to.start.saturating_add(to.ballots)));
    let (height, middle) = (PITCH - BAR, (PITCH - BAR) / 2);
    format!(
        "M{a} 0C{a} {middle} {c} {middle} {c} {height}L{d} {height}C{d} {middle} {b} {middle} {b} 0Z"
    )
}

/// How much of its colour a grade has: least in the middle, whence it goes both ways.
pub(super) fn shade(grade: usize, best: usize) -> usize {
    20 + (2 * grade).abs_diff(best) * 80 / best.max(1)
}

/// The class that colours a grade: the better half in one colour, the worse in another.
pub(super) fn shade_class(grade: usize, best: usize) -> &'static str {
    if 2 * grade < best { "grade low" } else { "grade" }
}
