"use client";

import dynamic from "next/dynamic";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { PageHeader } from "../../components/layout/page-header";
import { Tabs } from "../../components/layout/tabs";
import { AppearanceTab } from "./appearance-tab";
import { ClusterTab } from "./cluster-tab";

const GatewayTab = dynamic(() => import("./gateway-tab").then((module) => module.GatewayTab), { ssr: false });
const PeopleTab = dynamic(() => import("./people-tab").then((module) => module.PeopleTab), { ssr: false });

const TABS = [
  { value: "cluster", label: "Cluster" },
  { value: "gateway", label: "Gateway" },
  { value: "people", label: "People" },
  { value: "appearance", label: "Appearance" },
] as const;
const tabParam = parseAsStringLiteral(["cluster", "gateway", "people", "appearance"]).withDefault("cluster");

/** The gateways, their settings, who may sign in, and how pages look. */
export function SettingsPage() {
  const [tab, setTab] = useQueryState("tab", tabParam);
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs label="Settings" tabs={TABS} value={tab} onValue={(next) => void setTab(next)}>
        {tab === "cluster" ? <ClusterTab /> : null}
        {tab === "gateway" ? <GatewayTab /> : null}
        {tab === "people" ? <PeopleTab /> : null}
        {tab === "appearance" ? <AppearanceTab /> : null}
      </Tabs>
    </>
  );
}
