/**
 * Stands for rows of a long table that are not drawn. Its cell is the first column's: one that spanned more columns than
 * the table shows, as on a phone, would make them, and they would take the width of the names.
 */
export function SpacerRow({ heightPx }: Readonly<{ heightPx: number }>) {
  if (heightPx === 0) return null;
  return (
    <tr data-spacer>
      <td style={{ height: heightPx, padding: 0 }} />
    </tr>
  );
}
