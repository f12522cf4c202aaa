"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TextFilter } from "../../components/table/text-filter";
import { Toggle } from "../../components/table/toggle";
import { Badge } from "../../components/ui/badge";
import { Failure } from "../../components/ui/failure";
import { Panel } from "../../components/ui/panel";
import { SkeletonRows } from "../../components/ui/skeleton";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { clusterSettingsQuery } from "../../queries/settings";
import type { ClusterSettings } from "../../queries/wire";

type Setting = ClusterSettings["settings"][number];

/** What each gateway runs with, where it comes from, and where gateways disagree. */
export function GatewayTab() {
  const { data, error, refetch } = useQuery(clusterSettingsQuery());
  const [text, setText] = useState("");
  const [isChangedOnly, setIsChangedOnly] = useState(false);
  const wanted = text.trim().toLowerCase();
  const shown = (data?.settings ?? [])
    .filter((setting) => `${setting.name} ${setting.description}`.toLowerCase().includes(wanted))
    .filter(
      (setting) => !isChangedOnly || !setting.agreed || setting.values.some((value) => value.source !== "default"),
    );
  return (
    <Panel label="Settings in force" bodyClassName="p-0">
      <div className="flex flex-wrap gap-2 p-4">
        <TextFilter label="Filter settings" value={text} onValue={setText} />
        <Toggle label="Not the default" isOn={isChangedOnly} onToggle={() => setIsChangedOnly(!isChangedOnly)} />
      </div>
      {error && !data ? <Failure what="Cannot read the settings" error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <TableFrame>
          <Table aria-label="Settings in force" isStacked>
            <thead>
              <tr>
                <HeadCell>Setting</HeadCell>
                <HeadCell>In force</HeadCell>
                <HeadCell>Default</HeadCell>
                <HeadCell>From</HeadCell>
                <HeadCell>Helm</HeadCell>
              </tr>
            </thead>
            <tbody>
              {shown.map((setting) => (
                <SettingRow key={setting.name} setting={setting} />
              ))}
            </tbody>
          </Table>
        </TableFrame>
      ) : error ? null : (
        <SkeletonRows rows={12} label="Reading the settings" />
      )}
    </Panel>
  );
}

function SettingRow({ setting }: Readonly<{ setting: Setting }>) {
  const [first] = setting.values;
  return (
    <tr data-setting={setting.name} className="border-b align-top last:border-b-0">
      <th scope="row" className="max-w-md px-3 py-2 pl-4 text-left font-normal">
        <span className="min-w-0">
          <code className="name font-mono text-micro font-medium">{setting.name}</code>
          <span className="block text-micro text-text-3">{setting.description}</span>
        </span>
      </th>
      <Cell label="In force" stack="wide" className="py-2">
        {setting.agreed ? (
          <code className="name font-mono text-micro">{first?.value ?? "unset"}</code>
        ) : (
          <div className="space-y-1">
            <Badge shape="triangle" tone="watch">
              Gateways disagree
            </Badge>
            {setting.values.map((value) => (
              <p key={value.instance} className="name font-mono text-micro">
                {value.instance}: {value.value ?? "unset"}
              </p>
            ))}
          </div>
        )}
      </Cell>
      <Cell label="Default" className="py-2">
        <code className="name font-mono text-micro text-text-3">{setting.default ?? "unset"}</code>
      </Cell>
      <Cell label="From" className="py-2 text-text-2">
        {first?.source ?? "-"}
      </Cell>
      <Cell label="Helm" stack="wide" className="py-2">
        <code className="name font-mono text-micro text-text-3">{setting.helm ?? "-"}</code>
      </Cell>
    </tr>
  );
}
