/** Addresses of all pages behind the sign-in, one of each kind. */
export const PAGES = [
  "/",
  "/fairshare",
  "/fairshare/groups",
  "/models",
  "/models/x",
  "/tenants",
  "/tenants/x",
  "/keys",
  "/boosts",
  "/usage",
  "/audit",
  "/settings",
];
