export const dynamic = "force-static";

export function GET() {
  return new Response("<!doctype html><title>Prices</title><main><p>Two euros a cup.</p></main>", {
    headers: { "Content-Type": "text/html" },
  });
}
