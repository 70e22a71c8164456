import BrasaApp
import Synchronization
import Testing

/// Each test has an app and a library of its own: they are known to all of the process.
@Suite("What libraries hand out for apps")
struct AppInstancesTests {
    private final class Instance: Sendable {
        private let end = Atomic(false)

        var isEnded: Bool { self.end.load(ordering: .relaxed) }
        func setEnded() { self.end.store(true, ordering: .relaxed) }
    }

    private func app(_ name: String) throws -> FirebaseApp {
        FirebaseApp.configure(name: name, options: FirebaseOptions())
        return try #require(FirebaseApp.app(name: name))
    }

    private func library(_ call: String) -> AppInstances<Instance> {
        AppInstances(call) { $0.setEnded() }
    }

    @Test("There is one object for each app and name, until it is forgotten")
    func one() throws {
        let (app, other) = (try self.app("instances"), try self.app("other instances"))
        let library = self.library("one()")
        let first = library.instance(of: app, "a") { Instance() }
        #expect(library.instance(of: app, "a") { Instance() } === first)
        #expect(library.instance(of: app, "b") { Instance() } !== first)
        #expect(library.instance(of: other, "a") { Instance() } !== first)
        library.forget(first)
        #expect(library.instance(of: app, "a") { Instance() } !== first)
        #expect(library.all.count == 3)
        #expect(!first.isEnded)
    }

    @Test("An app's objects end with it, and those of others do not")
    func end() async throws {
        let (app, other) = (try self.app("ending"), try self.app("staying"))
        let library = self.library("end()")
        let ended = ["a", "b"].map { library.instance(of: app, $0) { Instance() } }
        let staying = library.instance(of: other, "a") { Instance() }
        #expect(await app.delete())
        #expect(ended.map(\.isEnded) == [true, true])
        #expect(!staying.isEnded)
        #expect(library.all.map(ObjectIdentifier.init) == [ObjectIdentifier(staying)])
        #expect(await app.delete() == false)
    }

    @Test("Who still has an app that was deleted has other objects than the next app of that name")
    func sameName() async throws {
        let library = self.library("sameName()")
        let first = try self.app("twice")
        #expect(await first.delete())
        let second = try self.app("twice")
        let late = library.instance(of: first, "a") { Instance() }
        let current = library.instance(of: second, "a") { Instance() }
        #expect(late !== current)
        #expect(library.instance(of: first, "a") { Instance() } === late)
        #expect(await second.delete())
        #expect(current.isEnded)
        #expect(library.all.map(ObjectIdentifier.init) == [ObjectIdentifier(late)])
        // It is in nobody's way.
        let third = try self.app("twice")
        #expect(library.instance(of: third, "a") { Instance() } !== late)
        #expect(await first.delete() == false)
        #expect(late.isEnded)
    }

    @Test("Without a default app there is one object for each name, too")
    func unconfigured() async {
        await #expect(processExitsWith: .success) {
            let library = AppInstances<Instance>("unconfigured()") { _ in }
            let first = library.ofDefaultApp { app in library.instance(of: app, "a") { Instance() } }
            let again = library.ofDefaultApp { app in library.instance(of: app, "a") { Instance() } }
            let other = library.ofDefaultApp { app in library.instance(of: app, "b") { Instance() } }
            #expect(again === first)
            #expect(other !== first)
        }
    }

    @Test("An app is not configured after somebody has an object for its name")
    func late() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = AppInstances<Instance>("late()") { _ in }
            _ = library.ofDefaultApp { app in library.instance(of: app, "a") { Instance() } }
            FirebaseApp.configure()
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("FirebaseApp.configure() must come before the first late()."))
    }
}
