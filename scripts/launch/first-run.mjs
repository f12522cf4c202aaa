/** What the gateway's first run left in its data folder for people and scripts, readable by their owner only. */
import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * @typedef {object} FirstRun
 * @property {string | undefined} adminToken bearer token of the management API
 * @property {string | undefined} sessionSecret what seals the dashboard's sessions
 * @property {string | undefined} adminEmail
 * @property {string | undefined} adminPassword
 * @property {Record<string, string>} keys API key secrets by tenant name
 * @property {string | undefined} model name of the sample model
 */

/**
 * @param {string} dataDir
 * @returns {FirstRun}
 */
export function readFirstRun(dataDir) {
  const login = readJson(path.join(dataDir, "admin-login.json"));
  const sample = readJson(path.join(dataDir, "sample-keys.json"));
  return {
    adminToken: process.env.OBLETH_ADMIN_TOKEN || readText(path.join(dataDir, "admin-token")),
    sessionSecret: process.env.OBLETH_SESSION_SECRET || readText(path.join(dataDir, "session-secret")),
    adminEmail: login.email,
    adminPassword: login.password,
    keys: sample.keys ?? {},
    model: sample.model,
  };
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** @param {string} file */
function readJson(file) {
  const text = readText(file);
  return text === undefined ? {} : JSON.parse(text);
}
