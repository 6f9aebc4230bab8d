//! The checks of claims about proofs (`docs/spec/snark.md`).

wire::check_names! {
    SN_1 = "SN-1",
    SN_2 = "SN-2",
    SN_3 = "SN-3",
    SN_4 = "SN-4",
    SN_5 = "SN-5",
    SN_6 = "SN-6",
    SN_7 = "SN-7",
    SN_8 = "SN-8",
    SN_9 = "SN-9",
    SN_10 = "SN-10",
    SN_11 = "SN-11",
    SN_12 = "SN-12",
}
