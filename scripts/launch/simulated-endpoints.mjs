/**
 * Keeps the sample models pointed at the simulated backend. Their address is in the database since the first run; when the
 * backend is started on another port later, they follow it.
 */

/** What the endpoints of sample and demo models are called. */
const NAME = "simulated";

/** @typedef {{ id: string, name: string, api_base: string }} Endpoint */

/**
 * @param {{ adminUrl: string, token: string | undefined, simUrl: string }} where
 */
export async function followSimulatedBackend({ adminUrl, token, simUrl }) {
  if (token === undefined) return;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const api = `${adminUrl}/api/v1/models`;
  const listed = await fetch(`${api}?limit=200`, { headers });
  if (!listed.ok) throw new Error(`the management API answered ${listed.status} for the list of models`);
  /** @type {{ items: { id: string, endpoints: Endpoint[] }[] }} */
  const { items } = await listed.json();
  const apiBase = `${simUrl}/v1`;
  for (const model of items) {
    for (const endpoint of model.endpoints.filter((one) => one.name === NAME && one.api_base !== apiBase)) {
      await fetch(`${api}/${model.id}/endpoints/${endpoint.id}`, {
        method: "PATCH",
        headers,
        body: JSON.stringify({ api_base: apiBase }),
      });
    }
  }
}
