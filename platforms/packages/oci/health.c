/* The image's health check: 0 where the server of this container answers /ready, 1 where it does
 * not. There is no shell in the image, and no client. rondo-health [PORT]
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const int port = argc > 1 ? atoi(argv[1]) : 8080;
  const char request[] = "GET /ready HTTP/1.0\r\nHost: localhost\r\n\r\n";
  struct sockaddr_in address;
  struct timeval limit = {3, 0};
  char reply[13] = "";
  size_t got = 0;
  const int handle = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (handle < 0) return 1;
  setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(handle, (struct sockaddr*)&address, sizeof address) != 0) return 1;
  if (write(handle, request, sizeof request - 1) != (ssize_t)(sizeof request - 1)) return 1;
  while (got < sizeof reply - 1) {
    const ssize_t n = read(handle, reply + got, sizeof reply - 1 - got);
    if (n <= 0) return 1;
    got += (size_t)n;
  }
  return memcmp(reply + 8, " 200", 4) != 0;
}
