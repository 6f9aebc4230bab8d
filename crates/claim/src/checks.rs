//! The checks of bundles (`docs/spec/bundles.md`).

wire::check_names! {
    CB_1 = "CB-1",
    CB_2 = "CB-2",
    CB_3 = "CB-3",
    CB_4 = "CB-4",
    CB_5 = "CB-5",
    CB_6 = "CB-6",
    CB_7 = "CB-7",
    CB_8 = "CB-8",
    CB_9 = "CB-9",
    CB_10 = "CB-10",
    CB_11 = "CB-11",
    CB_12 = "CB-12",
}
