#include <stdio.h>
static float in[3][512][32], out[512][32];
int main(void) {
    if (fread(in, sizeof in, 1, stdin) != 1)
        return 1;
    for (int key = 0; key < 512; key++)
        for (int i = 0; i < 32; i++)
            out[0][i] += in[2][key][i] / 512;
    for (int query = 1; query < 512; query++)
        for (int i = 0; i < 32; i++)
            out[query][i] = out[0][i];
    return fwrite(out, sizeof out, 1, stdout) != 1;
}
