//! The table of a panel, as text.

use crate::{
    catalog::X,
    format::{number, times},
    panel::{Column, PanelResult, Point, Ratio},
};

/// A table of a panel, as text.
pub(crate) struct Table<'a> {
    /// The series.
    pub columns: Vec<&'a Column>,
    /// The heads of all columns.
    pub heads: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
}

/// The table of a panel, of the series and pairs that have a value.
pub(crate) fn table(panel: &PanelResult) -> Table<'_> {
    let name = |id: &String| panel.column(id).map_or_else(|| id.clone(), |c| c.name.clone());
    let columns: Vec<&Column> = panel.columns.iter().filter(|c| !c.points.is_empty()).collect();
    let of =
        |ratio: &Ratio, [over, under]: &[String; 2]| ratio.over == *over && ratio.under == *under;
    let has_ratio = |pair: &&[String; 2]| panel.ratios.iter().any(|ratio| of(ratio, pair));
    let pairs: Vec<&[String; 2]> = panel.pairs.iter().filter(has_ratio).collect();
    let mut heads = vec![panel.x.clone().unwrap_or_default()];
    heads.extend(columns.iter().map(|column| column.name.clone()));
    heads.extend(pairs.iter().map(|[over, under]| format!("{} ÷ {}", name(over), name(under))));
    let row = |place: &X| {
        let mut cells = vec![place_name(place)];
        cells.extend(columns.iter().map(|c| c.at(place).map_or_else(String::new, cell)));
        cells.extend(pairs.iter().map(|pair| {
            let found = panel.ratios.iter().find(|ratio| of(ratio, pair) && ratio.x == *place);
            found.map_or_else(String::new, |ratio| times(ratio.value))
        }));
        cells
    };
    let rows = panel.places().iter().map(row).collect();
    Table { columns, heads, rows }
}

pub(crate) fn place_name(place: &X) -> String {
    match place {
        X::Name(name) => name.clone(),
        X::Number(place) => number(*place),
    }
}

/// The median, with the least and the greatest repetition where there are several.
fn cell(point: &Point) -> String {
    let median = number(point.value);
    let Some((least, greatest)) = point.spread() else { return median };
    let (least, greatest) = (number(least), number(greatest));
    if least == greatest { median } else { format!("{median} ({least}–{greatest})") }
}
