"use client";

import { useTheme } from "next-themes";
import type { ReactNode } from "react";
import { Panel } from "../../components/ui/panel";
import { Segmented } from "../../components/ui/segmented";
import { usePreferences, writePreferences } from "../../lib/preferences";
import { useIsMounted } from "../../lib/use-is-mounted";

/** How pages look and behave in this browser. */
export function AppearanceTab() {
  const preferences = usePreferences();
  const { theme, setTheme } = useTheme();
  const isMounted = useIsMounted();
  return (
    <Panel title="In this browser" bodyClassName="divide-y p-0">
      <Choice title="Theme" hint="System follows your computer's setting.">
        <Segmented
          label="Theme"
          value={isMounted && (theme === "light" || theme === "dark") ? theme : "system"}
          options={[
            { value: "system", label: "System" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
          onValue={setTheme}
        />
      </Choice>
      <Choice title="Rows" hint="Compact rows are 32 pixels high instead of 40.">
        <Segmented
          label="Rows"
          value={preferences.density}
          options={[
            { value: "comfortable", label: "Comfortable" },
            { value: "compact", label: "Compact" },
          ]}
          onValue={(density) => writePreferences({ density })}
        />
      </Choice>
      <Choice title="Times" hint="In your own time zone, or UTC.">
        <Segmented
          label="Times"
          value={preferences.clock}
          options={[
            { value: "local", label: "Local" },
            { value: "utc", label: "UTC" },
          ]}
          onValue={(clock) => writePreferences({ clock })}
        />
      </Choice>
      <Choice title="Updates" hint="Slower updates need less of a weak connection.">
        <Segmented
          label="Updates"
          value={String(preferences.refresh)}
          options={[
            { value: "1", label: "Normal" },
            { value: "2", label: "Half as often" },
            { value: "5", label: "A fifth" },
          ]}
          onValue={(refresh) => writePreferences({ refresh: Number(refresh) as 1 | 2 | 5 })}
        />
      </Choice>
      <Choice title="Single-key shortcuts" hint="Such as p for pause. Ctrl K and Ctrl Enter always work.">
        <Segmented
          label="Single-key shortcuts"
          value={preferences.hasShortcuts ? "on" : "off"}
          options={[
            { value: "on", label: "On" },
            { value: "off", label: "Off" },
          ]}
          onValue={(choice) => writePreferences({ hasShortcuts: choice === "on" })}
        />
      </Choice>
      <Choice title="Motion" hint="Reduced leaves fades only.">
        <Segmented
          label="Motion"
          value={preferences.motion}
          options={[
            { value: "system", label: "System" },
            { value: "reduce", label: "Reduced" },
          ]}
          onValue={(motion) => writePreferences({ motion })}
        />
      </Choice>
    </Panel>
  );
}

function Choice({ title, hint, children }: Readonly<{ title: string; hint: string; children: ReactNode }>) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 max-sm:flex-col max-sm:items-start">
      <div className="min-w-0 sm:flex-1 sm:basis-56">
        <p className="text-small font-medium">{title}</p>
        <p className="text-micro text-text-3">{hint}</p>
      </div>
      {children}
    </div>
  );
}
