#include <rondo/rondo.h>
