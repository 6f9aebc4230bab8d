//! What was asked about the mix after the count.

use maud::{Markup, html};

use super::{data::Answer, format::grouped};

/// The questions with their answers; nothing if nobody asked.
pub(super) fn section(answers: &[Answer]) -> Markup {
    html! {
        @if !answers.is_empty() {
            section aria-labelledby="asked" {
                h2 #asked { "Asked after the count" }
                p.intro {
                    "The mixers sent markers through the very permutations that mixed the ballots, "
                    "and the trustees opened those that were asked for to the querier alone, who "
                    "published them. Only questions are answered whose right answer everybody knows "
                    "beforehand, yes for every row: they tell nothing about anybody, and what is new is "
                    "the proof. A no would be a ballot that was lost or a result that was added. Every number "
                    "links to the claim that proves it. The method is Subrosa's own and has no published "
                    "proof yet."
                }
                div.scroll tabindex="0" role="region" aria-label="Questions and answers" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Question" }
                                th.n scope="col" { "Asked about" }
                                th.n scope="col" { "Yes" }
                                th.n scope="col" { "No" }
                            }
                        }
                        tbody { @for answer in answers { (row(answer)) } }
                    }
                }
            }
        }
    }
}

fn row(answer: &Answer) -> Markup {
    // Anything but a place in the bundle is no link.
    let is_claim = answer.claim.starts_with("bundle/claims/");
    let number = |number: u64| {
        html! {
            @if is_claim { a href=(answer.claim) { (grouped(number)) } } @else { (grouped(number)) }
        }
    };
    html! {
        tr {
            th scope="row" { strong { (answer.question) } br; span.gone { (answer.about) } }
            td.n { (number(answer.asked)) }
            td.n { (number(answer.yes)) }
            td.n { (number(answer.asked.saturating_sub(answer.yes))) }
        }
    }
}
