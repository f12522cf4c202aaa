/** Stands for rows of a long table that are not drawn. */
export function SpacerRow({ heightPx, columns }: Readonly<{ heightPx: number; columns: number }>) {
  if (heightPx === 0) return null;
  return (
    <tr data-spacer>
      <td colSpan={columns} style={{ height: heightPx, padding: 0 }} />
    </tr>
  );
}
