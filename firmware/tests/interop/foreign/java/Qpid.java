import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;

/** The AMQP broker Apache Qpid Broker-J, everything in memory: Qpid PORT FOLDER. */
final class Qpid {
    private static final String CONFIGURATION = """
        {
          "name": "peer", "modelVersion": "9.0",
          "authenticationproviders": [{
            "name": "plain", "type": "Plain", "secureOnlyMechanisms": [],
            "users": [{"name": "guest", "type": "managed", "password": "guest"}]
          }],
          "ports": [{
            "name": "amqp", "port": "%s", "authenticationProvider": "plain", "protocols": ["AMQP_0_9_1"],
            "virtualhostaliases": [
              {"name": "default", "type": "defaultAlias"}, {"name": "name", "type": "nameAlias"}
            ]
          }],
          "virtualhostnodes": [{
            "name": "default", "type": "Memory", "defaultVirtualHostNode": "true",
            "virtualHostInitialConfiguration": "{\\"type\\": \\"Memory\\"}"
          }]
        }
        """;

    public static void main(String[] words) throws Exception {
        Path folder = Path.of(words[1]), file = folder.resolve("qpid.json");
        Files.writeString(file, CONFIGURATION.formatted(words[0]));
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("type", "Memory");
        attributes.put("initialConfigurationLocation", file.toString());
        attributes.put("context", Map.of("qpid.work_dir", folder.toString()));
        attributes.put("startupLoggedToSystemOut", "false");
        new SystemLauncher().startup(attributes);
        System.out.println("ready");
        Thread.currentThread().join();
    }
}
