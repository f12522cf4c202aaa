/** The product's mark: three slots lent in different measure. */
export function Mark({ className }: Readonly<{ className?: string }>) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--text)" />
      <rect x="6" y="8" width="20" height="4.5" rx="1.2" fill="var(--focus)" />
      <rect x="6" y="14" width="13" height="4.5" rx="1.2" fill="var(--bg)" />
      <rect x="6" y="20" width="6" height="4.5" rx="1.2" fill="var(--edge)" />
    </svg>
  );
}
