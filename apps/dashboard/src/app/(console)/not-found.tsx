import Link from "next/link";
import { PageHeader } from "../../components/layout/page-header";
import { Button } from "../../components/ui/button";

/** An address with a name in it that nothing can have. The frame stays, so that a reader can go on. */
export default function NoSuchObject() {
  return (
    <PageHeader
      title="There is no page here"
      answer="The address is mistyped: nothing can have the name in it."
      actions={
        <>
          <Button asChild variant="primary">
            <Link href="/">Overview</Link>
          </Button>
          <Button asChild>
            <Link href="/fairshare">Fairshare</Link>
          </Button>
        </>
      }
    />
  );
}
