import ArgumentParser
import BrasaOptions
import BrasaServer

/// For container engines and scripts that have nothing else to ask with.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask the server of this machine whether it is ready: status 0 if so.",
        discussion: """
            Asks where BRASA_METRICS_ADDRESS says, in plain text; else where BRASA_LISTEN does, else 127.0.0.1:8080, over TLS \
            if there is BRASA_TLS_CERTIFICATE.
            """
    )

    @Option(help: "Where to ask, as HOST:PORT.")
    var address: String?

    @Flag(help: "Speak TLS, whatever certificate is shown.")
    var tls = false

    @Flag(help: "Ask only whether the process answers.")
    var live = false

    func run() async throws {
        let named = self.address ?? ProcessSurroundings.variable("BRASA_METRICS_ADDRESS")
        let text = named ?? ProcessSurroundings.variable("BRASA_LISTEN") ?? "127.0.0.1:8080"
        let isListenOfTLS = named == nil && ProcessSurroundings.variable("BRASA_TLS_CERTIFICATE") != nil
        guard let address = ListenAddress(parsing: text) else {
            throw ValidationError("\(text) is no address: HOST:PORT is one")
        }
        do {
            print(
                try await HealthProbe.ask(
                    address,
                    self.live ? "/livez" : "/readyz",
                    speaksTLS: self.tls || isListenOfTLS
                )
            )
        } catch {
            ProcessSurroundings.complain("\(error)")
            throw ExitCode(1)
        }
    }
}
