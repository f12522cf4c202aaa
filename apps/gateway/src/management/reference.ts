/** The OpenAPI document and a browsable reference made from it; both are served by the gateway itself, offline. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { API_BASE } from "@obleth/contract";
import { openApiDocument } from "@obleth/contract/openapi";
import type { Hono } from "hono";
import type { ManagementDeps } from "./deps";
import { Fault } from "./http/fault";

/** The files of the reference page and their types; nothing else of the package is served. */
const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
} as const;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>obleth management API</title>
<link rel="icon" href="/api/docs/favicon-32x32.png">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: "${API_BASE}/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Nothing from anywhere but here; the reference sets inline styles on its own elements. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

export function mountReference<Env extends { Variables: { requestId: string } }>(
  app: Hono<Env>,
  deps: Pick<ManagementDeps, "build">,
): void {
  let document: string | undefined;
  app.get(`${API_BASE}/openapi.json`, (context) => {
    document ??= JSON.stringify(openApiDocument({ version: deps.build.version }));
    return context.body(document, 200, { "content-type": "application/json" });
  });
  for (const path of ["/api/docs", "/api/docs/"]) {
    app.get(path, (context) =>
      context.body(PAGE, 200, { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY }),
    );
  }
  app.get("/api/docs/start.js", (context) =>
    context.body(START, 200, { "content-type": "text/javascript; charset=utf-8" }),
  );
  app.get("/api/docs/:file", async (context) => {
    const file = context.req.param("file");
    if (!isAsset(file)) throw new Fault("not_found", "There is no such file.");
    const content = await readFile(join(assetFolder(), file));
    return context.body(new Uint8Array(content), 200, {
      "content-type": ASSETS[file],
      "cache-control": "public, max-age=3600",
    });
  });
}

const isAsset = (file: string): file is keyof typeof ASSETS => Object.hasOwn(ASSETS, file);

function assetFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}
