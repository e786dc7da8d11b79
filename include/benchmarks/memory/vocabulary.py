"""Words of the generated conversations: what can be said of a person, and the ways to say and to ask it.

``{p}`` is the person, ``{v}`` the value. ``plain`` questions share content words with the statements, ``reworded``
ones do not.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """One attribute of a person and its wordings."""

    name: str
    statements: tuple[str, ...]
    plain: tuple[str, ...]
    reworded: tuple[str, ...]
    rumours: tuple[str, ...]


RELATIONS = (
    Relation(
        "home",
        (
            "{p} lives in {v} these days",
            "{p} found a flat and lives in {v}",
            "{p} unpacked the boxes and lives in {v}",
        ),
        ("Where does {p} live?", "Which place does {p} live in?"),
        ("What is the town of {p}?", "At which address would a parcel reach {p}?"),
        ("{p} once dreamed that one lives in {v}", "{p} read a brochure on how one lives in {v}"),
    ),
    Relation(
        "work",
        ("{p} works as a {v}", "{p} signed the contract and works as a {v}", "{p} works full time as a {v}"),
        ("What does {p} work as?", "As what does {p} work?"),
        ("What is the occupation of {p}?", "How does {p} earn money?"),
        ("{p} joked about how a {v} works", "{p} watched a film where somebody works as a {v}"),
    ),
    Relation(
        "drink",
        ("{p} drinks {v} every morning", "{p} mostly drinks {v}", "{p} drinks {v} with every meal"),
        ("What does {p} drink?", "Which thing does {p} drink most?"),
        ("What beverage should the waiter bring {p}?", "What is in the cup of {p}?"),
        ("{p} wondered who drinks {v}", "{p} read that nobody drinks {v}"),
    ),
    Relation(
        "music",
        ("{p} plays the {v}", "{p} plays the {v} in a small band", "{p} plays the {v} on weekends"),
        ("What does {p} play?", "Which thing does {p} play on weekends?"),
        ("What instrument is heard from the room of {p}?", "Which musician role fits {p}?"),
        ("{p} heard a stranger who plays the {v}", "{p} would be scared to play the {v}"),
    ),
    Relation(
        "pet",
        ("{p} adopted a puppy called {v}", "{p} takes care of a puppy called {v}", "{p} walks a puppy called {v}"),
        ("What is the puppy of {p} called?", "How is the puppy that {p} has called?"),
        ("What name does the dog of {p} answer to?", "Which animal belongs to {p}?"),
        ("{p} saw a poster of a puppy called {v}", "{p} nearly met a puppy called {v}"),
    ),
    Relation(
        "book",
        ("{p} is reading the novel {v}", "{p} is halfway through the novel {v}", "{p} keeps the novel {v} close"),
        ("Which novel is {p} reading?", "What novel does {p} keep close?"),
        ("What title lies on the nightstand of {p}?", "Which literature does {p} enjoy?"),
        ("{p} saw a review of the novel {v}", "{p} nearly bought the novel {v}"),
    ),
    Relation(
        "food",
        ("{p} gets a rash from eating {v}", "{p} cannot stand eating {v}", "{p} stopped eating {v} for good"),
        ("What does {p} avoid eating?", "What did {p} stop eating?"),
        ("What allergy does {p} have?", "Which ingredient must the kitchen leave out for {p}?"),
        ("{p} overheard guests eating {v}", "{p} saw a cartoon about eating {v}"),
    ),
    Relation(
        "car",
        ("{p} drives a {v}", "{p} drives a second-hand {v}", "{p} got the licence and drives a {v}"),
        ("What does {p} drive?", "Which thing does {p} drive?"),
        ("What vehicle is parked outside for {p}?", "Which brand of car does {p} own?"),
        ("{p} dreamed of how one drives a {v}", "{p} overtook someone who drives a {v}"),
    ),
    Relation(
        "course",
        ("{p} studies {v} in the evenings", "{p} enrolled and studies {v}", "{p} studies {v} at college"),
        ("What does {p} study?", "What does {p} study in the evenings?"),
        ("Which subject is {p} taking lessons in?", "What degree will {p} obtain?"),
        ("{p} laughed at whoever studies {v}", "{p} read an essay on who studies {v}"),
    ),
    Relation(
        "team",
        (
            "{p} cheers for the club {v}",
            "{p} has a scarf and cheers for the club {v}",
            "{p} never misses the club {v}",
        ),
        ("Which club does {p} cheer for?", "What club does {p} never miss?"),
        ("Which side does {p} support in the league?", "Whose matches does {p} attend as a fan?"),
        ("{p} saw somebody who cheers for the club {v}", "{p} mocked the club {v}"),
    ),
)

TIES = ("sister", "boss", "neighbour", "mentor")
TIE_STATEMENTS = (
    "the {t} of {p} is {v}",
    "{v} turned out to be the {t} of {p}",
    "{p} introduced the {t} , who is {v}",
)

OPENERS = ("I ran into {p} today", "Let me tell you about {p}", "{p} called me again", "There is news of {p}")
PROMPTS = ("How are things going there?", "Oh nice, what is new?", "Do tell me more.", "And what happened then?")
REPLIES = ("That sounds good.", "I will remember that.", "Interesting, thank you.", "Noted, go on.")
SMALL_TALK = (
    "The weather was awful, just like in {v}",
    "I spent the afternoon sorting {v} in the cellar",
    "My phone died while I was looking up {v}",
    "The queue at the bakery was long and someone mentioned {v}",
    "I tried a new recipe named after {v}",
    "The train was late again because of {v}",
)
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
UNKNOWN = "unknown"
