"""Prints a program of the stack machine for each function."""

PROGRAMS = {
    "triangle": "0 swap dup [ swap over + swap 1 - dup ] drop",
    "abs": "dup 0 < dup 1 < swap [ drop 0 swap - 0 0 ] [ 0 ]",
    "max": "over over < dup 1 < swap [ drop swap drop 0 0 ] [ drop 0 ]",
    "median": "rot rot over over < [ swap 0 ] rot rot swap over over < [ swap 0 ] swap drop over over < [ swap 0 ] drop",
    "gcd": "dup 0 = 1 < [ swap over % dup 0 = 1 < ] drop",
    "power": "1 rot rot dup 0 = 1 < [ rot rot dup rot * swap rot 1 - dup 0 = 1 < ] drop drop",
    "fibonacci": "0 1 rot dup 0 = 1 < [ rot rot dup rot + rot 1 - dup 0 = 1 < ] drop drop",
    "popcount": "0 swap dup 0 = 1 < [ dup 2 % rot + swap 2 / dup 0 = 1 < ] drop",
    "digits": "0 swap dup 0 = 1 < [ dup 10 % rot + swap 10 / dup 0 = 1 < ] drop",
    "root": "0 over over dup * < 1 < [ 1 + over over dup * < 1 < ] 1 - swap drop",
    "prime": "2 over over % 0 = 1 < [ 1 + over over % 0 = 1 < ] over over = swap drop swap drop",
    "collatz": "0 swap dup 1 = 1 < [ dup 2 % dup 1 < swap [ drop 3 * 1 + 0 0 ] [ 2 / 0 ] swap 1 + swap dup 1 = 1 < ] drop",
}

for name, program in PROGRAMS.items():
    print(name, program)
