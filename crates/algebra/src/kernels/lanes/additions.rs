//! Sums of lists of points, eight additions at a time.
//!
//! As in [`batch_affine`](super::super::batch_affine), an addition takes the inverse of its slope's denominator from
//! one inversion that many share. A denominator of zero or a neutral term shows the lanes in which the formula of the
//! chord does not apply. These take the tangent, or are set to their sum directly, before the product of all
//! denominators could become zero.

use zeroize::{Zeroize, Zeroizing};

use super::{
    Eight, Kernel, LaneField, Lanes,
    inversion::{CHAINS, invert},
    points::{Coordinates, Point, load_x, load_y, store},
    run,
};

/// Pairs that share an inversion.
const PAIRS: usize = 2048;
/// So many groups of eight pairs before they are needed, their points are on their way to the processor's cache.
const AHEAD: usize = 3;
/// Terms of the lists that are summed together, in a core's cache.
const BLOCK: usize = 1 << 14;

/// A term is the index of a point, below 2^29, with this bit if the point is to be subtracted.
pub(crate) const NEGATIVE: u32 = 1 << 31;
/// What the index of a point in [`Sums::second`] is marked with.
pub(crate) const SECOND: u32 = 1 << INDEX_BITS;
/// The same for points that sums made.
const SUM: u32 = 2 << INDEX_BITS;
/// The term of a lane without one: the first sum is kept neutral.
const BLANK: u32 = SUM;
/// Bits of an index. The two bits above say in which list of points it counts.
const INDEX_BITS: u32 = 29;

/// Sums of lists of terms.
pub struct Sums<'a, F: LaneField> {
    /// The points without a mark.
    pub(crate) first: &'a [Point<F>],
    /// The points with the mark [`SECOND`].
    pub(crate) second: &'a [Point<F>],
    /// All lists' terms, one list after the other.
    pub(crate) terms: &'a [u32],
    /// Where each list starts, and the last ends.
    pub(crate) starts: &'a [u32],
    /// Whether terms are a secret's digits: then all is erased that tells them, but for the sums.
    pub(crate) secret: bool,
}

/// Where terms are, by their marks: in a table, because a branch would be mispredicted too often.
struct Source<'a, F: LaneField>([&'a [Point<F>]; 4]);

impl<F: LaneField> Clone for Source<'_, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: LaneField> Copy for Source<'_, F> {}

impl<'a, F: LaneField> Source<'a, F> {
    #[inline(always)]
    fn get(&self, term: u32) -> &'a Point<F> {
        let mark = (term & !NEGATIVE) >> INDEX_BITS;
        &self.0[mark as usize][(term % SECOND) as usize]
    }

    /// Up to eight pairs' terms, on their way to the processor's cache.
    #[inline(always)]
    fn find<L: Lanes>(&self, pairs: &[[u32; 2]]) -> Group<'a, F> {
        let blank = Terms { points: [self.get(BLANK); 8], negative: 0 };
        let mut group = Group { left: blank, right: blank, doublings: true };
        for (lane, &[left, right]) in pairs.iter().enumerate().take(8) {
            for (term, terms) in [(left, &mut group.left), (right, &mut group.right)] {
                let point = self.get(term);
                L::prefetch(point);
                terms.points[lane] = point;
                terms.negative |= ((term >> 31) as u8) << lane;
            }
            group.doublings &= left == right;
        }
        group
    }

    /// The points of terms, one of each list that has any.
    #[inline(always)]
    fn take<L: Lanes>(&self, remaining: &Remaining, sums: &mut [Point<F>]) {
        let terms = remaining.terms[..remaining.len].chunks(8);
        for (terms, lists) in terms.zip(remaining.lists.chunks(8)) {
            let mut points = [self.get(BLANK); 8];
            let mut negative = 0;
            for (lane, &term) in terms.iter().enumerate() {
                points[lane] = self.get(term);
                negative |= ((term >> 31) as u8) << lane;
            }
            let mut signed = [Point::NEUTRAL; 8];
            // Sums are added, not subtracted: this is for lists with a single term.
            if negative != 0 {
                store(Terms { points, negative }.load::<L>(), &mut signed);
                for lane in 0..8 {
                    points[lane] = &signed[lane];
                }
            }
            for lane in 0..terms.len() {
                sums[lists[lane] as usize] = *points[lane];
            }
        }
    }
}

/// Eight terms.
struct Terms<'a, F: LaneField> {
    points: [&'a Point<F>; 8],
    /// The lanes of points to be subtracted.
    negative: u8,
}

impl<F: LaneField> Clone for Terms<'_, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: LaneField> Copy for Terms<'_, F> {}

impl<F: LaneField> Terms<'_, F> {
    #[inline(always)]
    fn x<L: Lanes>(&self) -> Eight<F, L, 2> {
        load_x(self.points)
    }

    #[inline(always)]
    fn y<L: Lanes>(&self) -> Eight<F, L, 2> {
        let y = load_y(self.points);
        if self.negative == 0 {
            return y;
        }
        // Neutral points stay blank.
        let minus = Eight::<F, L, 0>::zero().sub(y);
        Eight::select(self.negative & !y.is_blank(), minus, y)
    }

    #[inline(always)]
    fn load<L: Lanes>(&self) -> Coordinates<F, L> {
        (self.x(), self.y())
    }
}

/// Eight pairs of terms.
struct Group<'a, F: LaneField> {
    left: Terms<'a, F>,
    right: Terms<'a, F>,
    /// Whether all pairs are twice the same term.
    doublings: bool,
}

impl<F: LaneField> Group<'_, F> {
    /// Has all terms brought to the processor's cache.
    #[inline(always)]
    fn prefetch<L: Lanes>(&self) {
        for terms in [&self.left, &self.right] {
            for point in terms.points {
                L::prefetch(point);
            }
        }
    }
}

/// The lanes of eight additions that are no chords, by what they are instead.
#[derive(Clone, Copy, Default)]
struct Exceptions {
    /// Doublings.
    tangent: u8,
    /// The sum is the left term: the right one is neutral.
    left: u8,
    /// The sum is the right term: only the left one is neutral.
    right: u8,
    /// The terms cancel.
    neutral: u8,
}

impl Exceptions {
    #[inline(always)]
    fn any(self) -> bool {
        self.tangent | self.left | self.right | self.neutral != 0
    }
}

/// What a batch of additions remembers from its first pass to its second.
struct Batch<F: LaneField, L: Lanes> {
    denominators: Vec<Eight<F, L, 4>>,
    /// Products of the denominators before, in the same chain.
    products: Vec<Eight<F, L, 2>>,
    exceptions: Vec<Exceptions>,
}

impl<F: LaneField, L: Lanes> Batch<F, L> {
    /// For so many additions at a time.
    #[inline(always)]
    fn new(pairs: usize) -> Self {
        let groups = pairs.div_ceil(8);
        Self {
            denominators: Vec::with_capacity(groups),
            products: Vec::with_capacity(groups),
            exceptions: Vec::with_capacity(groups),
        }
    }

    /// Erases what any of its uses left.
    #[inline(always)]
    fn erase(&mut self) {
        self.denominators.clear();
        self.denominators.resize(self.denominators.capacity(), Eight::zero());
        self.products.clear();
        self.products.resize(self.products.capacity(), Eight::zero());
        self.exceptions.clear();
        self.exceptions.resize(self.exceptions.capacity(), Exceptions::default());
        std::hint::black_box(self);
    }
}

/// Terms with their lists' numbers, in order. They may be a secret's digits: they stay where they are, to be erased.
struct Remaining {
    terms: Zeroizing<Vec<u32>>,
    lists: Zeroizing<Vec<u32>>,
    len: usize,
}

impl Remaining {
    /// For so many terms at most, and one that belongs to no list.
    fn new(most: usize) -> Self {
        let zeros = || Zeroizing::new(vec![0; most + 1]);
        Self { terms: zeros(), lists: zeros(), len: 0 }
    }

    /// Takes the terms of lists that start, and the last of which ends, at `starts`.
    fn fill(&mut self, terms: &[u32], starts: &[u32]) {
        let begin = starts[0];
        self.len = (starts[starts.len() - 1] - begin) as usize;
        self.terms[..self.len].copy_from_slice(&terms[begin as usize..][..self.len]);
        // Lists are short: where the next ones begin is noted, then counted, without a branch for each.
        let lists = &mut self.lists[..=self.len];
        lists.fill(0);
        for start in &starts[1..] {
            lists[(start - begin) as usize] += 1;
        }
        let mut list = 0;
        for next in &mut *lists {
            list += *next;
            *next = list;
        }
        lists[self.len] = u32::MAX;
    }

    /// Pairs neighbours of the same list, and returns the number of pairs. Their sums will be the terms from `sum` on;
    /// `next` gets these and the unpaired terms. Without branches, because none could be predicted.
    fn pair(&self, sum: u32, pairs: &mut [[u32; 2]], next: &mut Self) -> usize {
        let (mut place, mut taken) = (0, 0_u32);
        next.len = 0;
        while place < self.len {
            let (term, list) = (self.terms[place], self.lists[place]);
            let is_pair = u32::from(list == self.lists[place + 1]);
            pairs[taken as usize] = [term, self.terms[place + 1]];
            let mask = is_pair.wrapping_neg();
            next.terms[next.len] = (sum + taken) & mask | term & !mask;
            next.lists[next.len] = list;
            next.len += 1;
            taken += is_pair;
            place += 1 + is_pair as usize;
        }
        next.lists[next.len] = u32::MAX;
        taken as usize
    }
}

impl<F: LaneField> Kernel for Sums<'_, F> {
    type Output = Vec<Point<F>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Point<F>> {
        let Self { first, second, terms, starts, secret } = self;
        let lists = starts.len() - 1;
        let mut sums = vec![Point::NEUTRAL; lists];
        let mut batch = Batch::<F, L>::new(PAIRS);
        let mut longest = BLOCK;
        for list in starts.windows(2) {
            longest = longest.max((list[1] - list[0]) as usize);
        }
        longest = longest.min(terms.len());
        let mut pairs = Zeroizing::new(vec![[0; 2]; longest / 2 + 1]);
        let (mut remaining, mut next) = (Remaining::new(longest), Remaining::new(longest));
        // The first is blank, for lanes without a term. Every batch, of which a round may leave one unfilled, ends in a
        // whole group: there is room for all, so that what is to be erased never moves.
        let room = longest + 8 * (u32::BITS as usize + longest / PAIRS);
        let mut work = Vec::with_capacity(1 + room);
        work.push(Point::NEUTRAL);
        let mut list = 0;
        while list < lists {
            let begin = list;
            while list < lists
                && ((starts[list + 1] - starts[begin]) as usize <= BLOCK || list == begin)
            {
                list += 1;
            }
            remaining.fill(terms, &starts[begin..=list]);
            let mut used = 1;
            loop {
                let taken = remaining.pair(SUM | used as u32, &mut pairs, &mut next);
                if taken == 0 {
                    break;
                }
                for pairs in pairs[..taken].chunks(PAIRS) {
                    let end = used + pairs.len().next_multiple_of(8);
                    if work.len() < end {
                        work.resize(end, Point::NEUTRAL);
                    }
                    let (sums, new) = work.split_at_mut(used);
                    add_pairs(&mut batch, Source([first, second, sums, &[]]), pairs, new);
                    used += pairs.len();
                }
                std::mem::swap(&mut remaining, &mut next);
            }
            let source = Source([first, second, &work, &[]]);
            source.take::<L>(&remaining, &mut sums[begin..list]);
        }
        if secret {
            work.zeroize();
            batch.erase();
        }
        sums
    }
}

/// Writes the sums of pairs to `out`, of which the last may be followed by blank points.
#[inline(always)]
fn add_pairs<F: LaneField, L: Lanes>(
    batch: &mut Batch<F, L>,
    source: Source<'_, F>,
    pairs: &[[u32; 2]],
    out: &mut [Point<F>],
) {
    batch.denominators.clear();
    batch.products.clear();
    batch.exceptions.clear();
    let count = pairs.len().div_ceil(8);
    let mut groups = Vec::with_capacity(count);
    let mut pairs = pairs.chunks(8);
    for pairs in pairs.by_ref().take(AHEAD) {
        groups.push(source.find::<L>(pairs));
    }
    let mut products = [Eight::<F, L, 2>::one(); CHAINS];
    for index in 0..count {
        if let Some(pairs) = pairs.next() {
            groups.push(source.find::<L>(pairs));
        }
        let (denominator, exceptions) = denominators(&groups[index]);
        let product = &mut products[index % CHAINS];
        batch.products.push(*product);
        *product = product.mul(denominator);
        batch.denominators.push(denominator);
        batch.exceptions.push(exceptions);
    }
    let mut inverses = invert(products);
    for index in (0..count).rev() {
        if let Some(ahead) = index.checked_sub(AHEAD) {
            groups[ahead].prefetch::<L>();
            L::prefetch(&batch.denominators[ahead]);
            L::prefetch(&batch.products[ahead]);
        }
        let inverse = &mut inverses[index % CHAINS];
        let denominator_inverse = inverse.mul(batch.products[index]);
        *inverse = inverse.mul(batch.denominators[index]);
        let (left, right) = (groups[index].left.load::<L>(), groups[index].right.load::<L>());
        let exceptions = batch.exceptions[index];
        let mut rise: Eight<F, L, 6> = right.1.sub::<2, 4>(left.1).widen();
        if exceptions.tangent != 0 {
            // The curves of this crate have a = 0.
            let square = left.0.square();
            let triple = square.add::<2, 4>(square).add(square);
            rise = Eight::select(exceptions.tangent, triple, rise);
        }
        let slope = rise.mul(denominator_inverse);
        let x = slope.square().sub_both::<2, 6>(left.0, right.0).shrink();
        let run: Eight<F, L, 4> = left.0.sub(x);
        let y = slope.mul(run).sub::<2, 4>(left.1).shrink();
        let mut sum = (x, y);
        if exceptions.any() {
            let select = [(exceptions.left, left), (exceptions.right, right)];
            for (mask, (x, y)) in select {
                sum = (Eight::select(mask, x, sum.0), Eight::select(mask, y, sum.1));
            }
            let (mask, zero) = (exceptions.neutral, Eight::<F, L, 2>::zero());
            sum = (Eight::select(mask, zero, sum.0), Eight::select(mask, zero, sum.1));
        }
        store(sum, &mut out[8 * index..]);
    }
    // The addresses of points tell the terms: they are erased, too.
    for group in &mut groups {
        *group = source.find::<L>(&[]);
    }
    std::hint::black_box(&groups);
}

/// The denominators of eight additions' slopes, none of them zero, and which of the additions are no chords.
#[inline(always)]
fn denominators<F: LaneField, L: Lanes>(group: &Group<'_, F>) -> (Eight<F, L, 4>, Exceptions) {
    if group.doublings {
        return doublings(group.left.y());
    }
    let (x1, x2) = (group.left.x::<L>(), group.right.x::<L>());
    let denominator: Eight<F, L, 4> = x2.sub(x1);
    if denominator.is_zero() | x1.is_blank() | x2.is_blank() == 0 {
        (denominator, Exceptions::default())
    } else {
        except((x1, group.left.y()), (x2, group.right.y()), denominator)
    }
}

/// The denominators of eight points' tangents.
#[inline(always)]
fn doublings<F: LaneField, L: Lanes>(y: Eight<F, L, 2>) -> (Eight<F, L, 4>, Exceptions) {
    // Neutral points have y = 0, too.
    let neutral = y.is_zero();
    let denominator = Eight::select(neutral, Eight::<F, L, 2>::one().widen(), y.add(y));
    (denominator, Exceptions { tangent: !neutral, neutral, ..Exceptions::default() })
}

/// Which of eight additions are no chords, and denominators with which none is zero.
#[inline(always)]
fn except<F: LaneField, L: Lanes>(
    (x1, y1): Coordinates<F, L>,
    (x2, y2): Coordinates<F, L>,
    denominator: Eight<F, L, 4>,
) -> (Eight<F, L, 4>, Exceptions) {
    let (left_neutral, right_neutral) =
        (x1.is_blank() & y1.is_blank(), x2.is_blank() & y2.is_blank());
    let same_x = denominator.is_zero() & !left_neutral & !right_neutral;
    let rise: Eight<F, L, 4> = y2.sub(y1);
    // Twice a point with y = 0 is neutral.
    let tangent = same_x & rise.is_zero() & !y1.is_zero();
    let exceptions = Exceptions {
        tangent,
        left: right_neutral,
        right: left_neutral & !right_neutral,
        neutral: same_x & !tangent,
    };
    let others = exceptions.left | exceptions.right | exceptions.neutral;
    let denominator = Eight::select(others, Eight::<F, L, 2>::one().widen(), denominator);
    (Eight::select(tangent, y1.add(y1), denominator), exceptions)
}

/// [`Sums`], where kernels run.
pub(crate) fn sum_lists<F: LaneField>(sums: Sums<'_, F>) -> Option<Vec<Point<F>>> {
    run(sums)
}
