#include <unistd.h>
int main() {
    const char *sort = "import struct, sys\n"
                       "r = sorted(struct.iter_unpack('<II', sys.stdin.buffer.read()), key=lambda r: r[0])\n"
                       "sys.stdout.buffer.write(b''.join(struct.pack('<II', *x) for x in r))";
    execl("/usr/bin/python3", "python3", "-I", "-S", "-c", sort, nullptr);
    return 1;
}
