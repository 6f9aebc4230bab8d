//! Cells: what the answers about one side of a mix can tell of each of its rows.

/// A side of a mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The submissions, which TraceOut asks about sets of.
    Inputs,
    /// The results, which TraceIn asks about sets of.
    Outputs,
}

impl Side {
    /// `inputs` or `outputs`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
        }
    }
}

/// The common refinement of sets of rows: rows are in one cell if every set has both or neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    cell_of: Vec<u32>,
    sizes: Vec<u32>,
}

/// The least that a partition leaves hidden, over its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Rows that a row may be.
    pub rows: usize,
    /// Values that a row may have, whatever the answers are.
    pub values: usize,
}

impl Cells {
    /// One cell of all rows.
    pub fn whole(rows: usize) -> Self {
        Self { cell_of: vec![0; rows], sizes: vec![rows as u32] }
    }

    /// The number of cells.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Splits every cell into the rows that a set has and those that it has not.
    pub fn split(&mut self, marked: &[bool]) {
        let mut inside = vec![0_u32; self.sizes.len()];
        for (cell, _) in self.cell_of.iter().zip(marked).filter(|(_, marked)| **marked) {
            inside.get_mut(*cell as usize).into_iter().for_each(|count| *count += 1);
        }
        // The number that the marked rows of each cell have from now on.
        let mut parts = Vec::with_capacity(inside.len());
        for (cell, inside) in (0_u32..).zip(inside) {
            let next = self.sizes.len() as u32;
            match self.sizes.get_mut(cell as usize) {
                Some(size) if 0 < inside && inside < *size => {
                    *size -= inside;
                    self.sizes.push(inside);
                    parts.push(next);
                }
                _ => parts.push(cell),
            }
        }
        for (cell, _) in self.cell_of.iter_mut().zip(marked).filter(|(_, marked)| **marked) {
            // `parts` has a number for every cell.
            *cell = parts.get(*cell as usize).copied().unwrap_or(*cell);
        }
    }

    /// What cells of this side leave hidden from who knows any `known` rows of both sides.
    /// `class_of` gives every output a number that it shares with the outputs of the same value.
    ///
    /// Of an input's cell nobody knows beforehand which values it has: they may be the most frequent
    /// ones. Of an output's cell everybody does.
    pub fn hidden(&self, side: Side, class_of: &[u32], known: usize) -> Hidden {
        // Without cells nothing is hidden.
        let smallest = self.sizes.iter().copied().min().unwrap_or_default() as usize;
        let rows = smallest.saturating_sub(known);
        let values = match side {
            Side::Inputs => {
                fewest_values(&mut counts(class_of.iter().map(|class| (0, *class))), rows)
            }
            Side::Outputs => self.fewest_in_a_cell(class_of, known),
        };
        Hidden { rows, values }
    }

    fn fewest_in_a_cell(&self, class_of: &[u32], known: usize) -> usize {
        let pairs = self.cell_of.iter().copied().zip(class_of.iter().copied());
        let mut counts = counts(pairs);
        let cells = counts.chunk_by_mut(|(cell, _), (next, _)| cell == next);
        let fewest = cells.map(|cell| {
            let rows: usize = cell.iter().map(|(_, count)| count).sum();
            fewest_values(cell, rows.saturating_sub(known))
        });
        // As in `hidden`.
        fewest.min().unwrap_or_default()
    }
}

/// How often every class occurs in every cell, cell by cell.
fn counts(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, usize)> {
    let mut pairs: Vec<u64> =
        pairs.map(|(cell, class)| (u64::from(cell) << 32) | u64::from(class)).collect();
    pairs.sort_unstable();
    let runs = pairs.chunk_by(|pair, next| pair == next);
    runs.map(|run| (run.first().map_or(0, |pair| (pair >> 32) as u32), run.len())).collect()
}

/// The fewest values that any so many rows have, given how often each occurs.
fn fewest_values(counts: &mut [(u32, usize)], rows: usize) -> usize {
    counts.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut left = rows;
    let taken = counts.iter().take_while(|(_, count)| {
        let is_needed = left > 0;
        left = left.saturating_sub(*count);
        is_needed
    });
    taken.count()
}
