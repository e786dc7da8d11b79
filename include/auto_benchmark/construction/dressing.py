"""Everyday words that items are dressed in, so that no two of them differ in names and numbers alone.

Every trade takes the article "a".
"""

from __future__ import annotations

from random import Random

_TRADES = """
baker tailor miller cooper potter weaver sailor farmer smith joiner mason thatcher glazier brewer tanner cobbler
printer binder florist grocer barber dentist surgeon chemist curator violinist drummer painter
sculptor plumber welder roofer surveyor pilot stoker porter courier jeweller watchmaker beekeeper shepherd
forester gardener vintner fisherman ferryman geologist botanist tutor coach referee juggler puppeteer
librarian clerk notary translator
"""
_PLACES = """
workshop harbour cellar attic market orchard garden station museum library school kitchen garage barn mill
quarry bakery chapel theatre studio office warehouse depot farm greenhouse lighthouse bridge square stadium
clinic archive laboratory gallery courtyard canteen pier tower tunnel meadow camp
"""
_THINGS = """
apples bricks candles tiles ropes barrels baskets bottles boxes brushes buckets buttons cables carpets chairs
coins cups drums feathers flags forks gloves hammers hats jars keys kites ladders lamps lanterns letters maps
mirrors nails needles nets oars pans pearls pencils pillows pipes plates pots quilts ribbons rings sacks saddles
scarves shells shovels spoons stamps stools tents tickets towels umbrellas vases wheels whistles
"""
TRADES, PLACES, THINGS = (tuple(words.split()) for words in (_TRADES, _PLACES, _THINGS))
COLOURS = ("red", "green", "blue", "orange", "purple", "brown", "pink", "grey")


def scene(random: Random) -> dict[str, str]:
    """A trade, a place and a thing."""
    return {"trade": random.choice(TRADES), "place": random.choice(PLACES), "thing": random.choice(THINGS)}
