/** Flags, listen, signals; nothing else. */
import { Backend } from "./backend";
import { makeServer } from "./server";
import { readFlags } from "./settings";

const options = readFlags(process.argv.slice(2));
if (!options.ok) {
  console.error(`sim-backend: ${options.problem}`);
  process.exit(2);
}
const { host, port } = options.value;
const server = makeServer(new Backend(options.value));
server.on("error", (error: NodeJS.ErrnoException) => {
  console.error(error.code === "EADDRINUSE" ? `sim-backend: port ${port} is in use` : `sim-backend: ${error.message}`);
  process.exit(1);
});
server.listen(port, host, () => {
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  console.log(`sim-backend listening on http://${host}:${actual}`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
