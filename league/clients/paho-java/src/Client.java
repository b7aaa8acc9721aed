import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/**
 * The league's workload at QoS 1 over Eclipse Paho's client for Java, with a kept session and automatic reconnection;
 * other options are the library's defaults.
 */
final class Client {
    /** Counts acknowledged messages. */
    private static final class Counter implements MqttCallback {
        final AtomicInteger acknowledged = new AtomicInteger();

        @Override
        public void connectionLost(Throwable cause) {}

        @Override
        public void messageArrived(String topic, MqttMessage message) {}

        @Override
        public void deliveryComplete(IMqttDeliveryToken token) {
            acknowledged.incrementAndGet();
        }
    }

    private static int number(String name) {
        return Integer.parseInt(System.getenv(name));
    }

    /** The largest resident memory of this process, in KiB. */
    private static String memory() throws Exception {
        String status = Files.readString(Path.of("/proc/self/status"));
        return status.replaceAll("(?s).*VmHWM:\\s+(\\d+).*", "$1");
    }

    public static void main(String[] words) throws Exception {
        int messages = number("MESSAGES"), size = number("PAYLOAD_BYTES"), interval = number("INTERVAL_MS");
        long deadline = System.nanoTime() + (number("DURATION_S") - 1) * 1_000_000_000L;
        MqttConnectOptions options = new MqttConnectOptions();
        options.setCleanSession(false);
        options.setAutomaticReconnect(true);
        Counter counter = new Counter();
        String address = "tcp://" + words[0] + ":" + words[1];
        MqttAsyncClient client = new MqttAsyncClient(address, words[2], new MemoryPersistence());
        client.setCallback(counter);
        client.connect(options).waitForCompletion();
        int refused = 0;
        long longest = 0;
        for (int n = 1; n <= messages; n++) {
            byte[] text = String.format("%-" + size + "d", n).getBytes(StandardCharsets.US_ASCII);
            long before = System.nanoTime();
            try {
                client.publish(words[3], text, 1, false);
            } catch (MqttException full) { // or without a connection
                refused++;
            }
            longest = Math.max(longest, System.nanoTime() - before);
            Thread.sleep(interval);
        }
        while (counter.acknowledged.get() < messages && System.nanoTime() < deadline) {
            Thread.sleep(100);
        }
        System.out.printf("longest_call_ms=%d memory_kib=%s%n", longest / 1_000_000, memory());
        System.out.printf("acknowledged=%d refused=%d%n", counter.acknowledged.get(), refused);
        System.exit(0);
    }
}
