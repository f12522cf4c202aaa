import { Badge } from "../../components/ui/badge";
import type { GlyphShape, GlyphTone } from "../../components/ui/glyph";
import { bandLabel, type PoolBand } from "../../lib/pool-state";

const LOOKS: Record<PoolBand, { shape: GlyphShape; tone: GlyphTone }> = {
  full_waiting: { shape: "square", tone: "urgent" },
  full: { shape: "square", tone: "neutral" },
  busy: { shape: "triangle", tone: "watch" },
  open: { shape: "ring", tone: "open" },
  idle: { shape: "dot", tone: "idle" },
  no_servers: { shape: "hatched_square", tone: "neutral" },
};

interface StateBadgeProps {
  band: PoolBand;
  queued: number;
  /** The numbers are old: the state is what it was. */
  isStale?: boolean;
}

export function StateBadge({ band, queued, isStale }: Readonly<StateBadgeProps>) {
  const { shape, tone } = LOOKS[band];
  return (
    <Badge shape={shape} tone={isStale ? "idle" : tone}>
      <span data-field="state" data-value={band}>
        {isStale ? `was ${bandLabel(band, queued)}` : bandLabel(band, queued)}
      </span>
    </Badge>
  );
}
