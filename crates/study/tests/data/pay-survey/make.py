"""Writes made-up responses: the years 2002, 2004 and 2005, with ties, extremes and a small group."""

import random

draw = random.Random(20260101)
print("person,year,sex,work,wage")
for year, people in [(2002, 130), (2004, 160), (2005, 120)]:
    for person in range(people):
        sex = draw.choice(["women", "men"])
        work = draw.choice(["office", "farm & forest"])
        if year == 2005 and person < 3:
            work = "guild"
        wage = draw.choice([900, 1000, 1250]) if person % 5 == 0 else draw.randrange(400, 20000)
        wage = {0: 1, 1: 50000}.get(person, wage)
        print(f"P{person:03},{year},{sex},{work},{wage // 100}.{wage % 100:02}")
