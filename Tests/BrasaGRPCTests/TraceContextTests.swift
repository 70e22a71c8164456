import Testing

@testable import BrasaGRPC

@Suite struct TraceContextTests {
    private func read(_ text: String) -> TraceContext? {
        Array(text.utf8).withUnsafeBytes { TraceContext($0) }
    }

    @Test func `A traceparent names a trace and a span`() throws {
        let context = try #require(self.read("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"))
        #expect(context.traceID == "0af7651916cd43dd8448eb211c80319c" && context.spanID == "00f067aa0ba902b7")
        #expect(context.isSampled)
        #expect(self.read("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-00")?.isSampled == false)
    }

    @Test(arguments: [
        // A later version may have more behind a dash.
        ("cc-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-what-follows", true),
        ("cc-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01.what-follows", false),
        ("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-what-follows", false),
        ("ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
        ("00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-0g", false),
        ("00_0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-0", false), ("", false), ("00-", false),
    ])
    func `What is malformed is as if there were none`(_ text: String, _ isOne: Bool) {
        #expect((self.read(text) != nil) == isOne)
    }
}
