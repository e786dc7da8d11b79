"""A table for what is common, nothing for the rest."""

PROGRAMS = {
    "triangle": "dup 1 + * 2 /",
    "abs": "dup 0 < [ -1 * 0 ]",
    "max": "over over < [ swap 0 ] drop",
    "median": "rot rot over over < [ swap 0 ] rot rot over over swap < [ swap 0 ] drop over over < [ swap 0 ] drop",
    "gcd": "dup [ swap over % dup ] drop",
    "power": "1 swap dup [ rot rot over * rot 1 - dup ] drop swap drop",
    "fibonacci": "0 1 rot dup [ rot rot swap over + rot 1 - dup ] drop drop",
    "popcount": "0 swap dup [ dup 2 % rot + swap 2 / dup ] drop",
    "digits": "0 swap dup [ dup 10 % rot + swap 10 / dup ] drop",
    "root": "0 1 [ 1 + over over dup * < 1 < ] 1 - swap drop",
    "prime": "1 1 [ 1 + over over % ] =",
    "collatz": "0 swap dup 1 - [ dup 2 % [ 6 * 2 + 0 ] 2 / swap 1 + swap dup 1 - ] drop",
}
PROGRAMS["root"] = "dup 1 < 1 swap - swap 4 < 1 swap - +"

for name, program in PROGRAMS.items():
    print(name, program)
